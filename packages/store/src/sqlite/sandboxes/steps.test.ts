import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { emittedDraft, frameRecord } from "../../../test/suite/sample-frames.ts";
import { tempDirectory } from "../../../test/temp-store.ts";
import type { Explanation } from "../../contract/store.ts";
import type { EmittedDraft } from "../../ledger/frame-record.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import type { SqliteStore } from "../sqlite-store.ts";

/** Seconds of an hour; the recorder heard of all of it at its end. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3) + second * 1_000).toISOString();
const HEARD_MS = Date.parse(at(3_600));

interface Told {
  readonly type?: string;
  readonly from?: number;
  readonly to: number;
  readonly correlation?: string;
  readonly denied?: true;
  readonly failed?: true;
  readonly endpoint?: string;
  readonly dropped?: number;
  readonly heardMs?: number;
}

/** What the proxy tells, by when it was passed on and when it was over. */
function draftInside({
  type = "system.command.execute",
  from,
  to,
  correlation,
  denied,
  failed,
  endpoint,
}: Told): EmittedDraft {
  const draft = emittedDraft(type);
  const binding = {
    sandbox_id: "box",
    endpoint: endpoint ?? "/command",
    ...(from === undefined ? {} : { started_at: at(from) }),
  };
  const runtime = {
    attestation: "sandbox-asserted",
    emittedAt: at(to),
    binding,
    ...(denied ? { decision: "denied" } : {}),
  };
  const outcome = { status: denied || failed ? ("failure" as const) : ("success" as const) };
  const subject = { ...draft.credentialSubject, outcome, ...(correlation ? { correlation_id: correlation } : {}) };
  return { ...draft, issuer: { ...draft.issuer, runtime }, credentialSubject: subject };
}

function draftDrops(count: number, to: number, attestation = "sandbox-asserted"): EmittedDraft {
  const draft = emittedDraft("agent_receipts.events_dropped");
  const action = { ...draft.credentialSubject.action, emitter_metadata: { drop_count: count } };
  const runtime = { attestation, emittedAt: at(to) };
  return { ...draft, issuer: { ...draft.issuer, runtime }, credentialSubject: { ...draft.credentialSubject, action } };
}

interface Seen {
  readonly from: number;
  readonly id: string;
  readonly part?: "interim" | "final";
  readonly verdict?: "allowed" | "blocked";
  readonly service?: "relay";
}

function draftFlow({ from, id, part = "final", verdict = "allowed", service }: Seen): EmittedDraft {
  const draft = emittedDraft("network.egress.observed");
  const flow = { started_at: at(from), part, verdict, ...(service ? { service } : {}) };
  const runtime = { attestation: "host-observed", emittedAt: at(from + 60), binding: { sandbox_id: "box", flow } };
  return {
    ...{ ...draft, issuer: { ...draft.issuer, runtime } },
    credentialSubject: { ...draft.credentialSubject, correlation_id: id },
  };
}

async function open(t: TestContext): Promise<SqliteStore> {
  const store = (await openSqliteStore(join(tempDirectory(t), "x.db"))) as SqliteStore;
  t.after(() => store.close());
  return store;
}

async function record(store: SqliteStore, receipts: readonly EmittedDraft[], atMs = HEARD_MS): Promise<number> {
  const frame = frameRecord({ chain: "sandbox:box", emitter: "relay:1", atMs, receipts: receipts as [EmittedDraft] });
  const recorded = await store.record(frame);
  return recorded.kind === "refused" ? Number.NaN : recorded.seq;
}

async function tell(store: SqliteStore, told: Told): Promise<number> {
  const { dropped, to, heardMs } = told;
  const live = draftInside(told);
  return await record(store, dropped === undefined ? [live] : [draftDrops(dropped, to), live], heardMs);
}

const none = (reason: (Explanation & { kind: "none" })["reason"]): Explanation => ({ kind: "none", reason });
/** Calls by their place in what was told. */
type Expected =
  | "lost"
  | "nothing-inside"
  | "before-first"
  | "between"
  | "after-last"
  | [place: number, receipts?: number]
  | { open: number };

const EXPLAINED: Readonly<
  Record<string, { told: readonly Told[]; moments: readonly (readonly [number, Expected])[] }>
> = {
  "nothing was ever told from inside": { told: [], moments: [[10, "nothing-inside"]] },
  "a command explains from when it was passed on until it was over, and a second more": {
    told: [{ to: 5 }, { from: 100, to: 200 }, { to: 300 }],
    moments: [
      ...([
        [4.5, [0]],
        [50, "between"],
        [98.9, "between"],
        [99, [1]],
        [100, [1]],
        [150, [1]],
        [200, [1]],
        [201, [1]],
      ] as const),
      ...([
        [201.1, "between"],
        [300.5, [2]],
        [302, "after-last"],
        [1, "before-first"],
      ] as const),
    ] as never,
  },
  "a command of which only the end is known explains that moment": {
    told: [{ to: 50 }, { to: 100 }],
    moments: [
      [90, "between"],
      [100, [1]],
    ],
  },
  "one in the background is told at its end, and explains all of it": {
    told: [
      { from: 10, to: 11 },
      { from: 20, to: 1_000 },
    ],
    moments: [
      [15, "between"],
      [500, [1]],
    ],
  },
  "code does, and what a server in the sandbox is asked; what reads and writes files doesn't": {
    told: [
      { type: "system.code.execute", from: 10, to: 20 },
      { type: "system.application.control", endpoint: "/proxy", from: 30, to: 40 },
      { type: "filesystem.file.create", from: 50, to: 60 },
      { type: "system.application.control", endpoint: "/ping", from: 70, to: 80 },
    ],
    moments: [
      [15, [0]],
      [35, [1]],
      [55, "between"],
      [75, "between"],
    ],
  },
  "what was denied never ran; what failed did": {
    told: [
      { from: 10, to: 20, denied: true },
      { from: 30, to: 40, failed: true },
    ],
    moments: [
      [15, "between"],
      [35, [1]],
    ],
  },
  "calls that overlap are one stretch, whatever order they are told in": {
    told: [
      { from: 30, to: 40 },
      { from: 10, to: 20 },
      { from: 15, to: 35 },
      { from: 60, to: 70 },
    ],
    moments: [
      [12, [0, 3]],
      [38, [0, 3]],
      [50, "between"],
      [65, [3]],
    ],
  },
  "a terminal explains until it is closed": {
    told: [
      { type: "system.pty.open", from: 10, to: 10, correlation: "pty:1" },
      { type: "system.pty.close", to: 100, correlation: "pty:1" },
      { to: 200 },
    ],
    moments: [
      [50, [0]],
      [150, "between"],
      [5, "before-first"],
    ],
  },
  "one of whose end nothing is on record explains all since, and is named": {
    told: [{ to: 1 }, { type: "system.pty.open", from: 10, to: 10, correlation: "pty:1" }],
    moments: [
      [5, "between"],
      [9_999, { open: 1 }],
    ],
  },
  "one that was refused explains nothing": {
    told: [{ type: "system.pty.open", to: 10, correlation: "pty:1", failed: true }, { to: 100 }],
    moments: [[50, "between"]],
  },
  "one that is opened again under its name was over by then": {
    told: [
      { type: "system.pty.open", to: 10, correlation: "pty:1" },
      { type: "system.pty.open", to: 50, correlation: "pty:1" },
      { type: "system.pty.close", to: 60, correlation: "pty:1" },
      { to: 100 },
    ],
    moments: [
      [30, [0, 2]],
      [55, [0, 2]],
      [80, "between"],
    ],
  },
  "where frames went lost, what they told is too": {
    told: [{ to: 10 }, { to: 100, dropped: 3 }, { to: 200 }],
    moments: [
      [5, "before-first"],
      [50, "lost"],
      [150, "between"],
    ],
  },
  "what went lost before the first that came may have been any time before": {
    told: [{ to: 100, dropped: 1 }],
    moments: [
      [50, "lost"],
      [200, "after-last"],
    ],
  },
  "a time that was still to come when it was heard of is when it was heard": {
    told: [{ from: 10, to: 9_000, heardMs: Date.parse(at(20)) }, { to: 400 }],
    moments: [
      [15, [0]],
      [300, "between"],
    ],
  },
  "a start after its end is its end": {
    told: [{ to: 1 }, { from: 90, to: 50 }],
    moments: [
      [70, "after-last"],
      [50, [1]],
    ],
  },
};

for (const [what, { told, moments }] of Object.entries(EXPLAINED))
  test(`what explains a flow: ${what}`, async (t) => {
    const store = await open(t);
    const seqs: number[] = [];
    for (const each of told) seqs.push(await tell(store, each));
    const found = await store.explanations({
      ...{ sandbox: "box", momentsMs: moments.map(([second]) => Date.parse(at(0)) + second * 1_000) },
    });
    const expected = moments.map(([, wanted]): Explanation => {
      if (typeof wanted === "string") return none(wanted);
      if ("open" in wanted) return { kind: "terminal", seq: seqs[wanted.open] as number };
      return { kind: "call", seq: seqs[wanted[0]] as number, receipts: wanted[1] ?? 1 };
    });
    assert.deepEqual(found, expected);
  });

test("whatever calls there were, a moment is explained exactly where one of them holds it", async (t) => {
  const store = await open(t);
  let boxes = 0;
  const second = fc.integer({ min: 0, max: 40 }).map((n) => n * 3);
  const calls = fc.array(fc.tuple(second, second), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(calls, async (pairs) => {
      boxes += 1;
      const sandbox = `box-${boxes}`;
      const spans = pairs.map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
      for (const [from, to] of spans) {
        const frame = { chain: `sandbox:${sandbox}`, emitter: "relay:1", atMs: HEARD_MS, chainsPerDay: 1_000 } as const;
        await store.record(frameRecord({ ...frame, receipts: [draftInside({ from, to })] }));
      }
      const moments = Array.from({ length: 125 }, (_, n) => n);
      const momentsMs = moments.map((n) => Date.parse(at(n)));
      const found = await store.explanations({ sandbox, momentsMs });
      assert.deepEqual(
        found.map(({ kind }) => kind === "call"),
        moments.map((n) => spans.some(([from, to]) => from - 1 <= n && n <= to + 1)),
      );
    }),
    { numRuns: 60 },
  );
});

test("steps stand in the order in which they began, then in the ledger's; a flow is one, told by all its receipts", async (t) => {
  const store = await open(t);
  const long = await record(store, [draftFlow({ from: 20, id: "f1", part: "interim" })]);
  await record(store, [draftFlow({ from: 20, id: "f1", part: "interim" })]);
  const command = await tell(store, { from: 10, to: 30 });
  const tied = await tell(store, { from: 20, to: 21 });
  const ended = await record(store, [draftFlow({ from: 20, id: "f1", verdict: "blocked" })]);
  const relayed = await record(store, [draftFlow({ from: 5, id: "f2", service: "relay" })]);
  const alone = await record(store, [draftDrops(2, 40, "host-observed"), draftFlow({ from: 40, id: "f3" })]);
  const steps = await store.sandboxSteps({ sandbox: "box", after: 0, limit: 10 });
  assert.deepEqual(
    steps.map(({ firstSeq, seq, receipts, atMs }) => [firstSeq, seq, receipts, new Date(atMs).toISOString()]),
    [
      [relayed, relayed, 1, at(5)],
      [command, command, 1, at(10)],
      [long, ended, 3, at(20)],
      [tied, tied, 1, at(20)],
      [alone - 1, alone - 1, 1, at(40)],
      [alone, alone, 1, at(40)],
    ],
  );
  assert.deepEqual(await store.sandboxSteps({ sandbox: "box", after: 2, limit: 1 }), steps.slice(2, 3));
  const sandbox = await store.sandbox("box");
  assert.deepEqual(
    [sandbox?.receipts, sandbox?.steps, sandbox?.dropped, sandbox?.outside],
    [8, 6, 0, { flows: 3, blocked: 1, gaps: 0, dropped: 2 }],
  );
  // The one at 40 s: what goes to the relay needs no explanation, and a command was under way for the other.
  assert.equal(await store.unexplainedFlows("box"), 1);
});
