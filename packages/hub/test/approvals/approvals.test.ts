import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { APPROVAL_NOT_FOUND, type Outcome } from "@countersign/protocol/proposals";
import { ALICE, openHub } from "../support/open-hub.ts";

const BOB = { ...ALICE, id: "bob-token", name: "bob" };
const NOT_FOUND = { code: "NOT_FOUND", message: APPROVAL_NOT_FOUND };

test("of two answers at once one wins, and only one decision is on record", async (t) => {
  const hub = await openHub(t);
  for (let round = 0; round < 20; round += 1) {
    const outcome = hub.propose(`touch made-${round}`);
    const { approvalId } = await hub.asked();
    const answers = await Promise.allSettled([
      hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE),
      hub.hub.answer(approvalId, { decision: "deny" }, BOB),
    ]);
    assert.equal(answers.filter((answer) => answer.status === "fulfilled").length, 1);
    const allowed = answers[0]?.status === "fulfilled";
    assert.equal((await outcome).kind, allowed ? "exited" : "denied");
    assert.equal(existsSync(join(hub.workspace, `made-${round}`)), allowed);
  }
});

test("unknown, repeated and late answers are NOT_FOUND with the seed's words, and change nothing", async (t) => {
  const hub = await openHub(t);
  const unknown = "019444a0-1234-7abc-8000-abcdef123456";
  await assert.rejects(hub.hub.answer(unknown, { decision: "allow-once" }, ALICE), NOT_FOUND);
  const first = hub.propose("touch one");
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once" }, BOB), NOT_FOUND);
  assert.equal((await first).kind, "denied");
  const second = hub.propose("touch two");
  const late = await hub.asked();
  // The wall clock passes the deadline before any timer has looked.
  hub.clock.setWall(60_000);
  await assert.rejects(hub.hub.answer(late.approvalId, { decision: "allow-once" }, ALICE), NOT_FOUND);
  const expired = await second;
  assert.deepEqual([expired.kind, expired.by], ["expired", "timeout"]);
  assert.equal(existsSync(join(hub.workspace, "two")), false);
});

test("answers outside the three, and keys that this hub doesn't know, are INVALID_PARAMS without effect", async (t) => {
  const hub = await openHub(t);
  const outcome = hub.propose("touch made");
  const { approvalId } = await hub.asked();
  for (const answer of [
    {},
    null,
    "allow-once",
    { decision: "allow" },
    { decision: "Allow-Once" },
    { decision: ["allow-once"] },
    { decision: "allow-once", cwd: "/" },
    { decision: "allow-once", scope: { kind: "session" } },
    { decision: "deny", reason: 7 },
  ]) {
    await assert.rejects(hub.hub.answer(approvalId, answer, ALICE), { code: "INVALID_PARAMS" }, JSON.stringify(answer));
  }
  await assert.rejects(hub.hub.answer(42, { decision: "allow-once" }, ALICE), { code: "INVALID_PARAMS" });
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  assert.equal((await outcome).kind, "denied");
});

/** Waits until the approval is durable without listing it, which would count as a delivery. */
async function waitUntilPending(hub: Awaited<ReturnType<typeof openHub>>): Promise<void> {
  while (hub.hub.approvals.pending === 0) await new Promise((resolve) => setImmediate(resolve));
}

const fallbacks: { fallback: string; command: string; seen: boolean; kind: Outcome["kind"]; by: string }[] = [
  { fallback: "deny", command: "touch made", seen: true, kind: "expired", by: "timeout" },
  { fallback: "full", command: "touch made", seen: true, kind: "exited", by: "timeout" },
  { fallback: "full", command: "rm -rf made", seen: true, kind: "expired", by: "timeout" },
  { fallback: "full", command: "touch made", seen: false, kind: "denied", by: "undelivered" },
  { fallback: "deny", command: "touch made", seen: false, kind: "denied", by: "undelivered" },
  { fallback: "allowlist", command: "touch made", seen: true, kind: "expired", by: "timeout" },
];
for (const { fallback, command, seen, kind, by } of fallbacks) {
  test(`at the deadline with askFallback ${fallback}, ${seen ? "seen" : "unseen"}: \`${command}\` → ${kind} by ${by}`, async (t) => {
    const hub = await openHub(t, { profile: { askFallback: fallback } });
    const outcome = hub.propose(command);
    await waitUntilPending(hub);
    if (seen) await hub.asked();
    hub.clock.advance(59_999);
    assert.equal(hub.hub.approvals.pending, 1);
    hub.clock.advance(1);
    const { kind: endedAs, by: decidedBy } = await outcome;
    assert.deepEqual([endedAs, decidedBy], [kind, by]);
  });
}

test("a wall clock set back doesn't keep a question open past its time to live", async (t) => {
  const hub = await openHub(t);
  const outcome = hub.propose("touch made");
  await hub.asked();
  hub.clock.setWall(-3_600_000);
  hub.clock.advance(60_000);
  assert.equal((await outcome).kind, "expired");
});

test("a wall clock set forwards past the deadline expires the question by itself", async (t) => {
  const hub = await openHub(t);
  const outcome = hub.propose("touch made");
  await hub.asked();
  hub.clock.setWall(120_000);
  hub.clock.advance(15_000);
  assert.equal((await outcome).kind, "expired");
});

test("a deadline past 2^31 ms neither fires at once nor is lost", async (t) => {
  const hub = await openHub(t, { profile: { timeoutMs: 2 ** 31 + 1000 } });
  const outcome = hub.propose("touch made");
  await hub.asked();
  hub.clock.advance(2 ** 31);
  assert.equal(hub.hub.approvals.pending, 1);
  hub.clock.advance(1000);
  assert.equal((await outcome).kind, "expired");
});

test("the same proposalId is one proposal: joined while it waits, answered from the record afterwards", async (t) => {
  const hub = await openHub(t);
  const again = () => hub.propose("sh -c 'echo x >> log; cat log'", { proposalId: "p1" });
  const both = [again(), again()];
  const { approvalId } = await hub.asked();
  assert.equal((await hub.hub.approvals.list({ limit: 10 })).length, 1);
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  const [first, second] = await Promise.all(both);
  assert.equal(first?.stdout, "x\n");
  assert.deepEqual(second, first);
  assert.deepEqual(await again(), first);
  await assert.rejects(hub.propose("ls", { proposalId: "p1" }), { code: "CONFLICT" });
});

test("another identity's proposalId is another proposal", async (t) => {
  const hub = await openHub(t);
  await hub.propose("ls", { proposalId: "p1" });
  await assert.rejects(hub.hub.proposals.status(ALICE, "p1"), { code: "NOT_FOUND" });
  const outcome = await hub.hub.proposals.propose({ command: "pwd", cwd: hub.workspace, proposalId: "p1" }, ALICE);
  assert.equal(outcome.stdout, `${hub.workspace}\n`);
});

test("limits on what waits have a code, and let go when something is answered", async (t) => {
  const hub = await openHub(t, { limits: { pendingPerSession: 2, pending: 3 } });
  const outcomes = [1, 2].map((n) => hub.propose(`touch a${n}`, { session: "a" }));
  await assert.rejects(hub.propose("touch a3", { session: "a" }), { code: "LIMIT", message: /pendingPerSession/ });
  outcomes.push(hub.propose("touch b1", { session: "b" }));
  await assert.rejects(hub.propose("touch b2", { session: "b" }), { code: "LIMIT", message: /limit: pending\)/ });
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  outcomes.push(hub.propose("touch c", { session: "c" }));
  while (hub.hub.approvals.pending < 3) await new Promise((resolve) => setImmediate(resolve));
  const ended = Promise.allSettled(outcomes);
  await hub.hub.close();
  const kinds = (await ended).map((end) => (end.status === "fulfilled" ? end.value.by : "left open"));
  assert.deepEqual(kinds.sort(), ["left open", "left open", "left open", "person"]);
});

test("a proposer whose connection is cut has 10 s to come back, then its proposal is withdrawn", async (t) => {
  const hub = await openHub(t);
  const cut = new AbortController();
  const params = { command: "touch made", cwd: hub.workspace, proposalId: "p1" };
  const gone = hub.hub.proposals.propose(params, LOCAL_AGENT, cut.signal);
  const { approvalId } = await hub.asked();
  cut.abort();
  await assert.rejects(gone);
  hub.clock.advance(9_999);
  const back = hub.hub.proposals.propose(params, LOCAL_AGENT, new AbortController().signal);
  await new Promise((resolve) => setImmediate(resolve));
  hub.clock.advance(20_000);
  assert.equal(hub.hub.approvals.pending, 1);
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await back).kind, "exited");

  const cutAgain = new AbortController();
  const second = hub.hub.proposals.propose({ ...params, proposalId: "p2" }, LOCAL_AGENT, cutAgain.signal);
  const late = await hub.asked();
  cutAgain.abort();
  await assert.rejects(second);
  hub.clock.advance(10_000);
  await assert.rejects(hub.hub.answer(late.approvalId, { decision: "allow-once" }, ALICE), NOT_FOUND);
  const { outcome } = await hub.hub.proposals.waitFor(LOCAL_AGENT, "p2", 1_000);
  assert.equal((outcome as Outcome).kind, "cancelled");
  assert.equal((outcome as Outcome).by, "cancelled");
});

test("withdrawing ends a waiting proposal as cancelled and a running one as aborted", async (t) => {
  const hub = await openHub(t);
  const waiting = hub.propose("touch made", { proposalId: "w" });
  await hub.asked();
  hub.hub.proposals.cancel(LOCAL_AGENT, "w");
  assert.equal((await waiting).kind, "cancelled");
  const running = hub.propose("sleep 1000", { proposalId: "r" });
  while ((await hub.store.proposalOf("local", "r"))?.state !== "started")
    await new Promise((resolve) => setImmediate(resolve));
  hub.hub.proposals.cancel(LOCAL_AGENT, "r");
  assert.equal((await running).kind, "aborted");
  assert.throws(() => hub.hub.proposals.cancel(LOCAL_AGENT, "r"), { code: "NOT_FOUND" });
});

test("shutting down leaves what waits open and ends what runs; then nothing is taken any more", async (t) => {
  const hub = await openHub(t);
  const waiting = hub.propose("touch made");
  await hub.asked();
  const running = hub.propose("sleep 1000", { proposalId: "r" });
  while ((await hub.store.proposalOf("local", "r"))?.state !== "started")
    await new Promise((resolve) => setImmediate(resolve));
  const left = assert.rejects(waiting, { code: "INTERNAL", message: /shutting down.*stays open/ });
  await hub.hub.close();
  await left;
  assert.equal((await running).kind, "aborted");
  assert.equal((await hub.store.pendingApprovals({ limit: 10 })).length, 1);
  await assert.rejects(hub.propose("ls"), { code: "INTERNAL" });
});

test("silence means what the profile says at the deadline, not when it was asked", async (t) => {
  const hub = await openHub(t, { profile: { askFallback: "full" } });
  const outcome = hub.propose("touch made");
  await hub.asked();
  hub.writeProfile({ askFallback: "deny" });
  hub.clock.advance(60_000);
  assert.equal((await outcome).kind, "expired");
  assert.equal(existsSync(join(hub.workspace, "made")), false);
});

test("proposing again without waiting keeps a proposal whose first connection was cut", async (t) => {
  const hub = await openHub(t);
  const cut = new AbortController();
  const params = { command: "touch made", cwd: hub.workspace, proposalId: "p1" };
  const gone = hub.hub.proposals.propose(params, LOCAL_AGENT, cut.signal);
  await hub.asked();
  cut.abort();
  await assert.rejects(gone);
  assert.equal((await hub.hub.proposals.proposeDetached(params, LOCAL_AGENT)).state, "pending");
  hub.clock.advance(20_000);
  assert.equal(hub.hub.approvals.pending, 1);
});

test("nothing takes off once the hub closes, also when it was proposed just before", async (t) => {
  const hub = await openHub(t);
  const late = Array.from({ length: 20 }, (_, index) => hub.propose("touch made", { proposalId: `late-${index}` }));
  const closing = hub.hub.close();
  const ends = await Promise.allSettled(late);
  await closing;
  for (const end of ends) assert.ok(end.status === "rejected" || end.value.by === "cancelled");
  assert.equal(existsSync(join(hub.workspace, "made")), false);
});
