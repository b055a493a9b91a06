import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import type { Outcome } from "@countersign/protocol/proposals";
import { checkLedger } from "@countersign/store";
import { Statements } from "../../../store/src/sqlite/base/statements.ts";
import { wholeReceipts } from "../../../store/test/suite/samples.ts";
import { Policies } from "../../src/policies/policies.ts";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

async function detached(hub: TestHub, command: string, proposalId: string) {
  return await hub.hub.proposals.proposeDetached({ command, cwd: hub.workspace, proposalId }, LOCAL_AGENT);
}

async function outcomeOf(hub: TestHub, proposalId: string): Promise<Outcome> {
  return (await hub.hub.proposals.waitFor(LOCAL_AGENT, proposalId, 5_000)).outcome as Outcome;
}

test("a 202 proposal that waited when the hub died can still be answered, and runs once", async (t) => {
  const hub = await openHub(t);
  assert.equal((await detached(hub, "sh -c 'echo x >> log'", "p1")).state, "pending");
  await hub.crashAndReopen();
  await hub.crashAndReopen();
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  const outcome = await outcomeOf(hub, "p1");
  assert.deepEqual([outcome.kind, outcome.by, outcome.approvalId], ["exited", "person", approvalId]);
  await hub.crashAndReopen();
  assert.equal((await outcomeOf(hub, "p1")).kind, "exited");
  assert.equal((await checkLedger(wholeReceipts(hub.store))).whole, true);
});

test("a stop leaves pending approvals as a crash does: they can be answered, or returned to, afterwards", async (t) => {
  const hub = await openHub(t);
  await detached(hub, "touch detached", "p1");
  const attached = hub.propose("touch attached", { proposalId: "p2" });
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const before = await hub.hub.approvals.list({ limit: 10 });
  const released = assert.rejects(attached, { code: "INTERNAL", message: /stays open/ });
  await hub.restart();
  await released;
  assert.deepEqual(await hub.hub.approvals.list({ limit: 10 }), before);
  const back = hub.propose("touch attached", { proposalId: "p2" });
  for (const { approvalId } of before) await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  assert.deepEqual([(await back).kind, (await outcomeOf(hub, "p1")).kind], ["exited", "exited"]);
  assert.equal((await checkLedger(wholeReceipts(hub.store))).whole, true);
});

test("what was bound before the crash stays bound: a script changed while the hub was down doesn't run", async (t) => {
  const hub = await openHub(t);
  writeFileSync(join(hub.workspace, "build.sh"), "touch built\n");
  await detached(hub, "sh build.sh", "p1");
  await hub.store.close();
  writeFileSync(join(hub.workspace, "build.sh"), "touch stolen\n");
  await hub.reopen();
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await outcomeOf(hub, "p1")).kind, "not-started");
  assert.equal(existsSync(join(hub.workspace, "stolen")), false);
});

test("a proposer that was attached has 10 s to come back after a crash", async (t) => {
  const hub = await openHub(t);
  const propose = (proposalId: string) => hub.propose("touch made", { proposalId });
  void propose("returns").catch(() => undefined);
  void propose("stays away").catch(() => undefined);
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  await hub.crashAndReopen();
  hub.clock.advance(9_000);
  const back = propose("returns");
  await new Promise((resolve) => setImmediate(resolve));
  hub.clock.advance(1_000);
  assert.equal((await outcomeOf(hub, "stays away")).kind, "cancelled");
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await back).kind, "exited");
});

test("the deadline is the stored one: it passes while the hub is down", async (t) => {
  const hub = await openHub(t, { profile: { askFallback: "full" } });
  await detached(hub, "touch made", "p1");
  await hub.store.close();
  hub.clock.advance(61_000);
  await hub.reopen();
  hub.clock.advance(0);
  const outcome = await outcomeOf(hub, "p1");
  assert.deepEqual([outcome.kind, outcome.by], ["denied", "undelivered"]);
});

test("a wall clock set back while the hub was down doesn't lengthen the deadline", async (t) => {
  const hub = await openHub(t);
  await detached(hub, "touch made", "p1");
  await hub.asked();
  await hub.store.close();
  hub.clock.setWall(-86_400_000);
  await hub.reopen();
  hub.clock.advance(60_000);
  assert.equal((await outcomeOf(hub, "p1")).kind, "expired");
});

test("what had started is interrupted, what was only decided is not started; neither runs again", async (t) => {
  const hub = await openHub(t);
  const running = hub.propose("sleep 1000", { proposalId: "running" });
  running.catch(() => undefined);
  while ((await hub.store.proposalOf("local", "running"))?.state !== "started")
    await new Promise((resolve) => setImmediate(resolve));
  const before = hub.hub;
  await hub.crashAndReopen();
  assert.equal((await outcomeOf(hub, "running")).kind, "interrupted");
  // The old hub's process still runs in this test; a real crash takes it along.
  before.proposals.cancel(LOCAL_AGENT, "running");
  await assert.rejects(running);
  const types = (await hub.store.ledgerOf((await hub.store.proposalOf("local", "running"))?.key ?? "")).map(
    (entry) => entry.type,
  );
  assert.deepEqual(types, ["decided", "started", "ended"]);
});

test("a stored question whose deadline isn't a number is refused, not waited for", async (t) => {
  const hub = await openHub(t);
  await detached(hub, "touch made", "p1");
  await detached(hub, "touch other", "p2");
  const { approvalId } = (await hub.hub.proposals.status(LOCAL_AGENT, "p1")) as { approvalId: string };
  await hub.store.close();
  const db = new DatabaseSync(hub.home.database);
  db.prepare("UPDATE approval SET expires_at_ms = 'never' WHERE id = ?").run(approvalId);
  db.close();
  await hub.reopen();
  const outcome = await outcomeOf(hub, "p1");
  assert.equal(outcome.kind, "denied");
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE), { code: "NOT_FOUND" });
  assert.equal((await hub.asked()).command, "touch other");
});

test("a deadline that passed while the hub was down is never consent, even if it had been seen", async (t) => {
  const hub = await openHub(t, { profile: { askFallback: "full" } });
  await detached(hub, "touch made", "p1");
  await hub.asked();
  await hub.store.close();
  hub.clock.advance(3 * 86_400_000);
  await hub.reopen();
  const outcome = await outcomeOf(hub, "p1");
  assert.deepEqual([outcome.kind, outcome.by], ["expired", "timeout"]);
  assert.equal(existsSync(join(hub.workspace, "made")), false);
});

test("a start judges no pending approval; the first who needs that does, once", async (t) => {
  const hub = await openHub(t);
  for (const name of ["one", "two"]) await detached(hub, `touch ${name}`, name);
  const [card] = await hub.hub.approvals.list({ limit: 1 });
  assert.ok(card);
  const judging = t.mock.method(Policies.prototype, "of");
  await hub.crashAndReopen();
  assert.deepEqual(await hub.hub.approvals.get(card.approvalId), card);
  assert.equal(judging.mock.callCount(), 0);
  const { approvalId } = card;
  const scopes = await Promise.all([hub.hub.approvals.scopes(approvalId), hub.hub.approvals.scopes(approvalId)]);
  assert.deepEqual(scopes[0], scopes[1]);
  assert.deepEqual(await hub.hub.reveal(approvalId, ALICE), card);
  assert.equal(judging.mock.callCount(), 1);
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await outcomeOf(hub, "one")).kind, "exited");
  assert.equal((await checkLedger(wholeReceipts(hub.store))).whole, true);
});

test("a restored approval starts nothing if it would now do more than its card says", async (t) => {
  const hub = await openHub(t);
  for (const name of ["shown", "other"]) mkdirSync(join(hub.workspace, name));
  symlinkSync("shown", join(hub.workspace, "link"));
  await detached(hub, "touch link/made", "p1");
  await hub.crashAndReopen();
  const { approvalId } = await hub.asked();
  unlinkSync(join(hub.workspace, "link"));
  symlinkSync("other", join(hub.workspace, "link"));
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  const outcome = await outcomeOf(hub, "p1");
  assert.deepEqual(
    [outcome.kind, outcome.reason],
    ["not-started", "Not started: what it does changed after you were asked"],
  );
  assert.equal(existsSync(join(hub.workspace, "other/made")), false);
});

test("what was allowed after a restart decides nothing that was asked before", async (t) => {
  const hub = await openHub(t);
  for (const session of ["a", "b"]) {
    const proposal = { command: "touch made", cwd: hub.workspace, session, proposalId: session };
    await hub.hub.proposals.proposeDetached(proposal, LOCAL_AGENT);
  }
  await hub.crashAndReopen();
  const [first, second] = await hub.hub.approvals.list({ limit: 2 });
  assert.ok(first && second);
  await hub.hub.answer(first.approvalId, { decision: "allow-always", scope: "exact@directory" }, ALICE);
  await hub.hub.answer(second.approvalId, { decision: "deny" }, ALICE);
  assert.deepEqual([(await outcomeOf(hub, "a")).kind, (await outcomeOf(hub, "b")).kind], ["exited", "denied"]);
  const { key } = (await hub.store.proposalOf("local", "b")) ?? {};
  const [decided] = await hub.store.ledgerOf(key ?? "");
  assert.deepEqual(decided?.body.entries, []);
});

test("overdue approvals are denied in one transaction", async (t) => {
  const hub = await openHub(t);
  const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
  for (const name of names) await detached(hub, `touch ${name}`, name);
  await hub.store.close();
  hub.clock.advance(61_000);
  const runs = t.mock.method(Statements.prototype, "run");
  await hub.reopen();
  const commits = runs.mock.calls.filter(({ arguments: [sql] }) => sql === "COMMIT").length;
  assert.ok(commits < names.length, `${commits} commits`);
  for (const name of names) assert.equal((await outcomeOf(hub, name)).kind, "denied");
  assert.equal((await checkLedger(wholeReceipts(hub.store))).whole, true);
});

test("releases the caller and leaves the approval open if a restored one can't be judged at its deadline", async (t) => {
  const hub = await openHub(t);
  const proposal = { command: "touch made", cwd: hub.workspace, proposalId: "p1" };
  await hub.hub.proposals.proposeDetached(proposal, LOCAL_AGENT);
  await hub.crashAndReopen();
  const waiting = hub.propose("touch made", { proposalId: "p1" });
  const { approvalId } = await hub.asked();
  const judging = t.mock.method(Policies.prototype, "of", () => Promise.reject(new Error("the disk fails")));
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE), /the disk fails/);
  assert.equal(hub.hub.approvals.isWaiting(approvalId), true);
  const released = assert.rejects(waiting, /the disk fails/);
  hub.clock.advance(60_000);
  await released;
  assert.equal(existsSync(join(hub.workspace, "made")), false);
  judging.mock.restore();
  await hub.crashAndReopen();
  assert.equal((await outcomeOf(hub, "p1")).kind, "expired");
});
