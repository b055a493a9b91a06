import assert from "node:assert/strict";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import type { Outcome } from "@countersign/protocol/proposals";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

const session = "fix login";
const allowlist = ["mkdir", "npm"].map((name) => ({ pattern: `${name} **` }));

async function answer(hub: TestHub, command: string, decision: string, reason?: string): Promise<Outcome> {
  const outcome = hub.propose(command, { session });
  const { approvalId, command: asked } = await hub.asked();
  assert.equal(asked, command);
  await hub.hub.answer(approvalId, { decision, ...(reason === undefined ? {} : { reason }) }, ALICE);
  return await outcome;
}

/** The reasons on the card; it is withdrawn then, which leaves no memory. */
async function cardOf(hub: TestHub, command: string, more: object = { session }): Promise<readonly string[]> {
  const proposalId = `${command} ${Math.random()}`;
  const outcome = hub.propose(command, { ...more, proposalId });
  const { riskReasons } = await hub.asked();
  hub.hub.proposals.cancel(LOCAL_AGENT, proposalId);
  await outcome;
  return riskReasons;
}

test("a refusal's outcome is the same when its proposalId is asked for again, also after a crash", async (t) => {
  const hub = await openHub(t, { profile: { denylist: [{ pattern: "make **" }] } });
  const ask = (command: string) => hub.propose(command, { proposalId: command });
  const answered = async (command: string, decision: object) => {
    const outcome = ask(command);
    const { approvalId } = await hub.asked();
    await hub.hub.answer(approvalId, decision, ALICE);
    return await outcome;
  };
  const withdrawn = async (command: string) => {
    const outcome = ask(command);
    await hub.asked();
    hub.hub.proposals.cancel(LOCAL_AGENT, command);
    return await outcome;
  };
  const first: Record<string, Outcome> = {
    "touch a": await answered("touch a", { decision: "deny" }),
    "mkdir b": await answered("mkdir b", { decision: "deny", reason: "not now" }),
    "touch c": await withdrawn("touch c"),
    "make all": await ask("make all"),
  };
  assert.deepEqual(
    Object.values(first).map(({ kind, by }) => [kind, by]),
    [
      ["denied", "person"],
      ["denied", "person"],
      ["cancelled", "cancelled"],
      ["denied", "deny-entry"],
    ],
  );
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 1000 });
  for (const [command, outcome] of Object.entries(first)) {
    assert.equal(entries.find(({ hash }) => hash === outcome.receipt)?.type, "ended", command);
    assert.deepEqual(await ask(command), outcome);
  }
  await hub.crashAndReopen();
  for (const [command, outcome] of Object.entries(first)) assert.deepEqual(await ask(command), outcome);
});

test("the same proposal is denied again at once, for five minutes, in that session, also after a crash", async (t) => {
  const hub = await openHub(t);
  await answer(hub, "touch made", "deny", "use what is there");
  const check = async () => {
    const { kind, by, reason = "", approvalId } = await hub.propose("touch made", { session });
    assert.deepEqual([kind, by, approvalId], ["denied", "person", undefined]);
    assert.match(
      reason,
      /^Denied by alice at 20\S+Z; the same command can be asked about again from 20\S+Z: use what is there$/,
    );
  };
  await check();
  await hub.crashAndReopen();
  await check();
  const ledger = await hub.store.ledger({ afterSeq: 0, limit: 1000 });
  const decided = ledger.filter(({ type }) => type === "decided").map(({ body }) => body);
  assert.deepEqual(
    decided.slice(1).map(({ repeats }) => repeats),
    [decided[0]?.approvalId, decided[0]?.approvalId],
  );
  assert.doesNotMatch((await cardOf(hub, "touch made", { session: "other" })).join(), /Similar/);
  hub.clock.advance(300_000);
  assert.match((await cardOf(hub, "touch made")).at(-1) ?? "", /^Similar to what you denied: touch made/);
});

test("what resembles a denial asks despite entries, marked so, for that session and for a day", async (t) => {
  const hub = await openHub(t, { profile: { allowlist } });
  assert.equal((await hub.propose("mkdir made", { session })).by, "entry");
  await answer(hub, "touch made/x", "deny", "no");
  assert.deepEqual((await cardOf(hub, "mkdir other")).slice(-1), [
    "Similar to what you denied: touch made/x (denied by alice: no)",
  ]);
  assert.equal((await hub.propose("npm test", { session })).by, "entry", "another kind, another target");
  assert.equal((await hub.propose("ls", { session })).by, "policy", "safe");
  assert.equal((await hub.propose("mkdir other", { session: "another" })).by, "entry");
  await hub.crashAndReopen();
  assert.match((await cardOf(hub, "mkdir third")).join(), /Similar to what you denied/);
  hub.clock.advance(86_400_000);
  assert.equal((await hub.propose("mkdir fourth", { session })).by, "entry");
});

test("a person who then allows it takes the denial back", async (t) => {
  const hub = await openHub(t);
  // With another claim each, or they would be one question.
  const twins = ["one", "two"].map((reason) => hub.propose("touch made", { session, reason }));
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const [first, second] = await hub.hub.approvals.list({ limit: 2 });
  await hub.hub.answer(first?.approvalId, { decision: "deny" }, ALICE);
  await hub.hub.answer(second?.approvalId, { decision: "allow-once" }, ALICE);
  assert.deepEqual((await Promise.all(twins)).map(({ kind }) => kind).sort(), ["denied", "exited"]);
  assert.doesNotMatch((await cardOf(hub, "touch made")).join(), /Similar/);
});

test("what is allowed for the session after a denial outranks it", async (t) => {
  const hub = await openHub(t);
  await answer(hub, "touch made", "deny");
  const outcome = hub.propose("touch other", { session });
  const { approvalId, riskReasons } = await hub.asked();
  assert.match(riskReasons.join(), /Similar/);
  hub.clock.advance(1);
  await hub.hub.answer(approvalId, { decision: "allow-always", scope: "exact@session" }, ALICE);
  await outcome;
  assert.equal((await hub.propose("touch other", { session })).by, "entry");
  assert.match((await cardOf(hub, "touch third")).join(), /Similar/);
});

test("several denials in a row pause the session, and only it, until an approver resumes it", async (t) => {
  const hub = await openHub(t, { limits: { denialsInARow: 3 } });
  await answer(hub, "touch a", "deny");
  await answer(hub, "touch b", "deny");
  await answer(hub, "touch c", "allow-once");
  await answer(hub, "touch d", "deny");
  await answer(hub, "touch e", "deny");
  void hub.propose("touch waits", { session });
  const { approvalId: held } = await hub.asked();
  const last = hub.propose("touch f", { session });
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const third = (await hub.hub.approvals.list({ limit: 2 })).find(({ approvalId }) => approvalId !== held);
  const { note } = await hub.hub.answer(third?.approvalId, { decision: "deny" }, ALICE);
  assert.match(note ?? "", /Session "fix login" is paused/);
  await last;
  for (const command of ["touch g", "ls"]) {
    const { kind, by, reason } = await hub.propose(command, { session });
    assert.deepEqual([kind, by], ["denied", "paused"]);
    assert.match(reason ?? "", /session is paused/);
  }
  assert.equal((await hub.propose("ls", { session: "another" })).kind, "exited");
  await assert.rejects(hub.hub.answer(held, { decision: "allow-once" }, ALICE), { code: "UNAUTHORIZED" });
  const { warnings, pausedSessions, paused } = await hub.hub.state();
  assert.deepEqual([pausedSessions, paused], [[session], null]);
  assert.match(warnings.join(), /countersign resume --session "fix login"/);

  await hub.crashAndReopen();
  assert.equal((await hub.propose("ls", { session })).by, "paused");
  await assert.rejects(hub.hub.resume(ALICE, "another"), { code: "NOT_FOUND" });
  await hub.hub.resume(ALICE, session);
  assert.equal((await hub.propose("ls", { session })).kind, "exited");
  await hub.hub.answer(held, { decision: "allow-once" }, ALICE);
  const ledger = await hub.store.ledger({ afterSeq: 0, limit: 1000 });
  assert.deepEqual(
    ledger.filter(({ type }) => type === "paused" || type === "resumed").map((entry) => [entry.type, entry.sessionId]),
    [
      ["paused", session],
      ["resumed", session],
    ],
  );
});

test("a session that was paused between the decision and the start doesn't start", async (t) => {
  const hub = await openHub(t, { limits: { denialsInARow: 1 } });
  const outcome = hub.propose("touch made\ntouch more", { session, proposalId: "p" });
  const { approvalId } = await hub.asked();
  const other = hub.propose("touch other", { session });
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const second = (await hub.hub.approvals.list({ limit: 2 })).find((card) => card.approvalId !== approvalId);
  const answering = hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  const denying = hub.hub.answer(second?.approvalId, { decision: "deny" }, ALICE);
  await Promise.all([answering, denying, other]);
  assert.deepEqual([(await outcome).kind, (await outcome).by], ["not-started", "paused"]);
});
