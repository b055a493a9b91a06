import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figures, figuresSchema, MAX_REPORTED } from "@countersign/protocol/records";
import type { LedgerDraft, StoredReceipt } from "@countersign/store";
import fc from "fast-check";
import { receiptOf } from "../../../../store/src/ledger/receipt-of.ts";
import type { Span } from "./counters.ts";
import { readReceiptFacts } from "./receipt-facts.ts";
import { ReportCounter } from "./report-counter.ts";

const SPAN: Span = { fromMs: 1_000, toMs: 2_000 };

type Said = Readonly<Record<string, string | number>>;

interface Life {
  readonly proposedMs: number;
  readonly decided: Said;
  readonly started: boolean;
  readonly end: Said | null;
}

const time = fc.integer({ min: 0, max: 3_000 });
const person = { by: "person", person: "ann", assurance: "device", device: "d1", approvalId: "a" };
const allowing = fc
  .constantFrom<Said>({ by: "policy" }, { by: "entry" }, { by: "grant" }, person, { ...person, person: "bob" })
  .map((by) => ({ verdict: "allow", riskLevel: "safe", enforcement: "jail", agent: "x", ...by }));
const refusing = fc
  .constantFrom<Said>({ by: "floor" }, { by: "timeout", approvalId: "b" }, { by: "cancelled" }, person)
  .map((by) => ({ verdict: "deny", riskLevel: "dangerous", enforcement: "jail", agent: "y", ...by }));
const ending = fc.constantFrom<Said>(
  { kind: "exited", exitCode: 0, reportedBy: "hub" },
  { kind: "exited", exitCode: 1, reportedBy: "executor" },
  { kind: "interrupted", reportedBy: "hub" },
  { kind: "timed-out", reportedBy: "hub" },
);
const life = fc.oneof(
  fc.record<Life>({
    proposedMs: time,
    decided: allowing,
    started: fc.boolean(),
    end: fc.option(ending),
  }),
  fc.record<Life>({
    proposedMs: time,
    decided: refusing,
    started: fc.constant(false),
    end: fc.constant({ kind: "denied", reportedBy: "hub" }),
  }),
);
const frame = fc.record({ emitter: fc.constantFrom("uid:1", "sandbox:s"), dropped: fc.nat(3), correlation: fc.nat(3) });

interface Step {
  readonly atMs: number;
  readonly type: LedgerDraft["type"];
  readonly proposalKey: string | null;
  readonly body: LedgerDraft["body"];
}

/** Steps of all lives, each life's in its order, and between them the hub's comings and goings. */
const history = fc
  .record({
    lives: fc.array(life, { maxLength: 12 }),
    others: fc.array(fc.constantFrom("hub-up", "hub-down", "policy-changed", "paused", "checkpoint", "epoch-opened"), {
      maxLength: 8,
    }),
    frames: fc.array(frame, { maxLength: 8 }),
    seed: fc.infiniteStream(fc.nat(1_000_000)),
    /** Mostly forwards; now and then somebody sets the clock. */
    clock: fc.infiniteStream(fc.oneof({ arbitrary: fc.nat(150), weight: 9 }, { arbitrary: time, weight: 1 })),
  })
  .map(({ lives, others, frames, seed, clock }) => {
    const queues: (Omit<Step, "atMs"> | { readonly frame: (typeof frames)[number] })[][] = [
      ...lives.map((one, at) => stepsOf(one, `p${at}`)),
      others.map((type) => ({ type: type as Step["type"], proposalKey: null, body: { person: "ann" } })),
      frames.map((one) => ({ frame: one })),
    ];
    const receipts = [hubReceipt({ type: "ledger-opened", proposalKey: null, body: {} }, 1, 0)];
    for (let nowMs = 0; queues.some((queue) => queue.length > 0); ) {
      const left = queues.filter((queue) => queue.length > 0);
      const next = left[(seed.next().value as number) % left.length]?.shift();
      const step = clock.next().value as number;
      nowMs = step < 150 ? nowMs + step : step;
      const seq = receipts.length + 1;
      if (next) receipts.push("frame" in next ? frameReceipt(next.frame, seq, nowMs) : hubReceipt(next, seq, nowMs));
    }
    return receipts;
  });

function stepsOf({ proposedMs, decided, started, end }: Life, proposalKey: string): Omit<Step, "atMs">[] {
  return [
    { type: "decided", proposalKey, body: { ...decided, proposedAtMs: proposedMs } },
    ...(started ? [{ type: "started", proposalKey, body: { permit: "p" } } as const] : []),
    ...(end ? [{ type: "ended", proposalKey, body: end } as const] : []),
  ];
}

/** As the ledger writes it, without what only a verifier looks at. */
function hubReceipt({ type, proposalKey, body }: Omit<Step, "atMs">, seq: number, atMs: number): StoredReceipt {
  const draft = receiptOf({ type, sessionId: null, proposalKey, atMs, body }, { issuer: "did:key:z" });
  const chain = { chain_id: "countersign:0:root", sequence: seq };
  return {
    seq,
    raw: JSON.stringify({ ...draft, credentialSubject: { ...draft.credentialSubject, chain } }),
  };
}

function frameReceipt(
  {
    emitter,
    dropped,
    correlation,
    status = "success",
  }: { emitter: string; dropped: number; correlation: number; status?: string },
  seq: number,
  atMs: number,
): StoredReceipt {
  const action =
    dropped > 0
      ? { type: "agent_receipts.events_dropped", emitter_metadata: { drop_count: dropped } }
      : { type: correlation % 2 ? "system.pty.open" : "system.pty.close" };
  const raw = {
    issuer: { runtime: { channel: "mcp", attestation: "emitter-asserted" } },
    issuanceDate: new Date(atMs).toISOString(),
    credentialSubject: {
      ...{ action, outcome: { status } },
      chain: { chain_id: `countersign:0:${emitter}` },
      correlation_id: `c${correlation >> 1}`,
    },
  };
  return { seq, raw: JSON.stringify(raw) };
}

function count(receipts: readonly StoredReceipt[], span: Span = SPAN): { figures: Figures; counter: ReportCounter } {
  const counter = new ReportCounter(span);
  for (const receipt of receipts) counter.note(receipt);
  return { figures: figuresSchema.parse(counter.figures()), counter };
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, one) => all + one, 0);

test("ReportCounter counts add up for any ledger", () => {
  fc.assert(
    fc.property(history, (receipts) => {
      const { figures } = count(receipts);
      const { waiting, decided, permitted, running, previews } = figures;
      for (const flow of [waiting, permitted, running, previews]) {
        assert.equal(flow.before + flow.entered, flow.left + flow.after);
      }
      assert.equal(waiting.left, decided.allowed + decided.denied + decided.expired + decided.cancelled);
      assert.equal(decided.allowed, sum(decided.allowedBy));
      assert.equal(decided.denied, sum(decided.deniedBy));
      assert.equal(decided.allowed, sum(decided.allowedRisk));
      assert.equal(permitted.entered, decided.allowed);
      assert.equal(permitted.left, permitted.started + sum(permitted.neverStarted));
      assert.equal(running.entered, permitted.started);
      assert.equal(running.left, sum(running.as));
      assert.equal(running.left, sum(running.reportedBy));
      assert.equal(figures.receipts.count, sum(figures.receipts.byType));
      const { byType } = figures.receipts;
      assert.equal(byType.decided ?? 0, waiting.left);
      assert.equal(
        byType.frame ?? 0,
        sum(Object.fromEntries(figures.emitters.map((one) => [one.emitter, one.frames]))),
      );
      const byAgent = figures.agents.reduce((all, { allowed, refused }) => all + allowed + refused, 0);
      assert.equal(byAgent, waiting.left);
      const byPerson = figures.approvers.reduce((all, { allowed, denied }) => all + allowed + denied, 0);
      const asked = figures.approvers.map(({ person: name }) => name);
      assert.ok(byPerson <= waiting.left && asked.every((name) => ["ann", "bob"].includes(name)));
      assert.deepEqual(figures.gaps.odd, []);
    }),
  );
});

/** Another way to the same figures: all lives first, then one look at each. */
function recount(receipts: readonly StoredReceipt[], { fromMs, toMs }: Span) {
  const lives = new Map<string, { proposed: number; decided: number; started?: number; ended?: number }>();
  for (const { raw, seq } of receipts) {
    const { entry, proposal, atMs, said } = readReceiptFacts(raw, seq);
    const one = lives.get(proposal ?? "");
    const proposed = Number(said.proposedAtMs);
    if (entry === "decided") lives.set(proposal ?? "", { proposed, decided: Math.max(proposed, atMs) });
    else if (one && entry === "started") one.started = Math.max(one.decided, atMs);
    else if (one && entry === "ended") one.ended = Math.max(one.started ?? one.decided, atMs);
  }
  const all = [...lives.values()];
  const within = (ms: number | undefined) => ms !== undefined && ms >= fromMs && ms < toMs;
  const openAt = (ms: number, since: number | undefined, until: number | undefined) =>
    since !== undefined && since < ms && (until === undefined || until >= ms);
  return {
    proposed: all.filter(({ proposed }) => within(proposed)).length,
    decided: all.filter(({ decided }) => within(decided)).length,
    waitingAfter: all.filter(({ proposed, decided }) => openAt(toMs, proposed, decided)).length,
    started: all.filter(({ started }) => within(started)).length,
    ended: all.filter(({ started, ended }) => started !== undefined && within(ended)).length,
    runningBefore: all.filter(({ started, ended }) => openAt(fromMs, started, ended)).length,
    runningAfter: all.filter(({ started, ended }) => openAt(toMs, started, ended)).length,
  };
}

test("ReportCounter agrees with an independent count", () => {
  fc.assert(
    fc.property(history, (receipts) => {
      const { waiting, permitted, running } = count(receipts).figures;
      assert.deepEqual(
        {
          proposed: waiting.entered,
          decided: waiting.left,
          waitingAfter: waiting.after,
          started: permitted.started,
          ended: running.left,
          runningBefore: running.before,
          runningAfter: running.after,
        },
        recount(receipts, SPAN),
      );
    }),
  );
});

test("ReportCounter adds up over adjacent spans", () => {
  fc.assert(
    fc.property(history, time, (receipts, atMs) => {
      const whole = count(receipts, { fromMs: 0, toMs: 3_001 }).figures;
      const first = count(receipts, { fromMs: 0, toMs: atMs }).figures;
      const second = count(receipts, { fromMs: atMs, toMs: 3_001 }).figures;
      for (const name of ["waiting", "permitted", "running"] as const) {
        assert.equal(first[name].entered + second[name].entered, whole[name].entered);
        assert.equal(first[name].left + second[name].left, whole[name].left);
        assert.equal(first[name].after, second[name].before);
      }
      assert.equal(first.receipts.count + second.receipts.count, whole.receipts.count);
    }),
  );
});

test("ReportCounter gives the same figures for its selection", () => {
  fc.assert(
    fc.property(history, (receipts) => {
      const { figures, counter } = count(receipts);
      const isChosen = counter.selection();
      const chosen = receipts.filter(({ seq, raw }) => seq === 1 || isChosen(readReceiptFacts(raw, seq)));
      assert.deepEqual(count(chosen).figures, figures);
    }),
  );
});

test("ReportCounter lists downtimes, crashes and clock changes", () => {
  const said = (type: Step["type"], atMs: number) => ({ type, atMs });
  const receipts = [
    said("ledger-opened", 1_100),
    said("hub-up", 1_100),
    said("paused", 1_200),
    said("hub-up", 1_300),
    said("hub-down", 1_400),
    said("hub-up", 1_500),
    said("policy-changed", 40_000),
    said("resumed", 1_600),
    said("hub-down", 1_700),
  ].map(({ type, atMs }, at) => hubReceipt({ type, proposalKey: null, body: {} }, at + 1, atMs));
  const iso = (ms: number) => new Date(ms).toISOString();
  const { gaps, events } = count(receipts).figures;
  assert.deepEqual(gaps, {
    recordBegins: iso(1_100),
    epochs: [],
    downs: [
      { from: iso(1_200), to: iso(1_300), how: "crashed" },
      { from: iso(1_400), to: iso(1_500), how: "stopped" },
      { from: iso(1_700), to: null, how: "stopped" },
    ],
    clock: { count: 1, largestMs: 38_400, firstSeq: 8 },
    incomplete: [],
    odd: [],
  });
  assert.deepEqual(
    events.map(({ type }) => type),
    ["paused", "resumed"],
  );
});

test("ReportCounter reports no refused terminal as incomplete", () => {
  const open = { emitter: "sandbox:a", dropped: 0 };
  const receipts = [
    frameReceipt({ ...open, correlation: 1 }, 1, 1_500),
    frameReceipt({ ...open, correlation: 3, status: "failure" }, 2, 1_500),
  ];
  const { incomplete } = count(receipts).figures.gaps;
  assert.deepEqual(incomplete, [{ code: "incomplete_session", seq: 1, emitter: "sandbox:a", subject: "c0" }]);
});

test("ReportCounter separates observers from emitters inside of a sandbox", () => {
  const outside = (seq: number, set: { type?: string; decision?: string; drop_count?: number }): StoredReceipt => {
    const { type = "network.egress.observed", decision, drop_count } = set;
    const runtime = { channel: "opensandbox_execd", attestation: "host-observed", ...(decision ? { decision } : {}) };
    const action = { type, ...(drop_count ? { emitter_metadata: { drop_count } } : {}) };
    const outcome = { status: decision === "denied" ? "failure" : "success" };
    const chain = { chain_id: "countersign:0:sandbox:a", sequence: seq };
    const credentialSubject = { action, outcome, chain, correlation_id: "c0" };
    const at = new Date(1_500).toISOString();
    return { seq, raw: JSON.stringify({ issuer: { runtime }, issuanceDate: at, credentialSubject }) };
  };
  const receipts = [
    frameReceipt({ emitter: "sandbox:a", dropped: 3, correlation: 1 }, 1, 1_500),
    frameReceipt({ emitter: "sandbox:a", dropped: 0, correlation: 1 }, 2, 1_500),
    outside(3, {}),
    outside(4, { type: "agent_receipts.events_dropped", drop_count: 5 }),
    outside(5, { decision: "denied" }),
    outside(6, { type: "dev.countersign.egress.gap" }),
  ];
  const { emitters, gaps } = count(receipts).figures;
  assert.deepEqual(emitters, [
    { emitter: "sandbox:a", frames: 1, failed: 0, blocked: 0, unwatched: 0, dropped: 3 },
    { emitter: "sandbox:a (egress)", frames: 3, failed: 0, blocked: 1, unwatched: 1, dropped: 5 },
  ]);
  // No flow ends a terminal, and none is left open by one.
  assert.deepEqual(gaps.incomplete, [{ code: "incomplete_session", seq: 2, emitter: "sandbox:a", subject: "c0" }]);
});

test("ReportCounter limits its list of downtimes, and counts the rest", () => {
  const ups = Array.from({ length: MAX_REPORTED + 6 }, (_, at) =>
    hubReceipt({ type: "hub-up", proposalKey: null, body: {} }, at + 1, 1_001 + at),
  );
  const { gaps, leftOut } = count(ups, { fromMs: 0, toMs: 10_000 }).figures;
  assert.equal(gaps.downs.length, MAX_REPORTED);
  assert.equal(gaps.downs.length + (leftOut.downs ?? 0), MAX_REPORTED + 5);
});

test("ReportCounter says how much its lists leave out", () => {
  const ended = { kind: "exited", exitCode: 0 };
  const odd = [
    { type: "ended", proposalKey: "a", body: ended },
    { type: "started", proposalKey: "b", body: {} },
    { type: "decided", proposalKey: "c", body: { verdict: "allow" } },
    { type: "decided", proposalKey: "c", body: { verdict: "allow" } },
    { type: "ended", proposalKey: "d", body: { kind: "denied", by: "timeout" } },
  ] as const;
  const changes = Array.from({ length: MAX_REPORTED + 3 }, () => ({
    ...{ type: "policy-changed", proposalKey: null, body: {} },
  })) as Omit<Step, "atMs">[];
  const receipts = [...odd, ...changes].map((step, at) => hubReceipt(step, at + 1, 1_500));
  const { gaps, events, leftOut, decided, running } = count(receipts).figures;
  assert.deepEqual(gaps.odd, [
    { code: "ENDED_UNDECIDED", seq: 1 },
    { code: "STARTED_UNDECIDED", seq: 2 },
    { code: "DECIDED_TWICE", seq: 4 },
    { code: "ENDED_UNDECIDED", seq: 5 },
  ]);
  assert.deepEqual(
    [decided.denied, running.left, events.length, leftOut],
    [1, 0, MAX_REPORTED, { "policy-changed": 3 }],
  );
});
