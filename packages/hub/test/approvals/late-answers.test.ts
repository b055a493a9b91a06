import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { APPROVAL_NOT_FOUND } from "@countersign/protocol/proposals";
import { generateDeviceKey, makeNonce, signDecision } from "@countersign/sdk";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";
import { openServer } from "../support/open-server.ts";

const BOB = { ...ALICE, id: "bob-token", name: "bob" };
const NOT_FOUND = { code: "NOT_FOUND", message: APPROVAL_NOT_FOUND };
const HALF_AN_HOUR = 1_800_000;
const session = "one";

/** Asked, seen and not answered. */
async function expire(hub: TestHub, command = "touch made", more: object = {}): Promise<string> {
  const outcome = hub.propose(command, { session, ...more });
  const { approvalId } = await hub.asked();
  hub.clock.advance(60_000);
  assert.equal((await outcome).kind, "expired");
  return approvalId;
}

/** Whether it is asked about; then it is denied, without being remembered. */
async function asks(hub: TestHub, command = "touch made", more: object = {}): Promise<boolean> {
  const outcome = hub.propose(command, { session, ...more });
  for (;;) {
    const [card] = await hub.hub.approvals.list({ limit: 1 }, { role: "observer" });
    if (card) {
      await hub.hub.approvals.cancel(card.approvalId, "cancelled", "seen");
      await outcome;
      return true;
    }
    const done = await Promise.race([
      outcome,
      new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
    ]);
    if (done) {
      assert.equal(done.kind, "exited", done.reason);
      return false;
    }
  }
}

test("an expired card is allowed for when it asks again: once, by the grant, on record; plain answers stay NOT_FOUND", async (t) => {
  const hub = await openHub(t);
  const approvalId = await expire(hub);
  assert.deepEqual(
    (await hub.hub.lateAnswers.list()).map((card) => [card.approvalId, card.command]),
    [[approvalId, "touch made"]],
  );
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE), NOT_FOUND);
  const late = await hub.hub.lateAnswers.allow(approvalId, { reason: "I was at lunch" }, ALICE);
  assert.equal(late.expiresAtMs, hub.clock.wallMs() + HALF_AN_HOUR);
  const [grant] = hub.hub.grants.list();
  assert.deepEqual(
    [grant?.id, grant?.sessionId, grant?.kind, grant?.body.why],
    [late.grant, session, "once", "I was at lunch"],
  );
  assert.deepEqual(await hub.hub.lateAnswers.list(), []);
  const outcome = await hub.propose("touch made", { session });
  assert.equal(outcome.kind, "exited");
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 100 });
  const changed = entries.findLast(({ type }) => type === "policy-changed")?.body;
  assert.deepEqual(
    [changed?.person, changed?.assurance, changed?.scope, changed?.approvalId, changed?.grants],
    ["alice", "token", "if-asks-again", approvalId, [late.grant]],
  );
  const decided = entries.findLast(({ type }) => type === "decided")?.body;
  assert.deepEqual(
    [decided?.by, decided?.entries, decided?.reason],
    ["grant", [late.grant], "Allowed by alice for when it asks again"],
  );
  assert.equal(await asks(hub), true, "it was for one time");
  assert.deepEqual(hub.hub.grants.list(), []);
});

test("of two who are late one wins, and nothing can be answered so twice", async (t) => {
  const hub = await openHub(t);
  const approvalId = await expire(hub);
  const both = await Promise.allSettled([ALICE, BOB].map((by) => hub.hub.lateAnswers.allow(approvalId, {}, by)));
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await assert.rejects(hub.hub.lateAnswers.allow(approvalId, {}, ALICE), NOT_FOUND);
  assert.equal(hub.hub.grants.list().length, 1);
  // Two that ask at once: one of them is what was allowed.
  const twins = ["a", "b"].map((reason) => hub.propose("touch made", { session, reason }));
  const other = await hub.asked();
  await hub.hub.approvals.cancel(other.approvalId, "cancelled", "seen");
  const kinds = (await Promise.all(twins)).map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), ["cancelled", "exited"]);
  for (const unknown of ["none", "019444a0-1234-7abc-8000-abcdef123456"])
    await assert.rejects(hub.hub.lateAnswers.allow(unknown, {}, ALICE), NOT_FOUND);
});

test("it holds for this session, owner, command, directory, code and way to run it, and for nothing else", async (t) => {
  const hub = await openHub(t);
  writeFileSync(join(hub.workspace, "script.sh"), "true\n");
  await hub.hub.lateAnswers.allow(await expire(hub, "bash script.sh"), {}, ALICE);
  assert.equal(await asks(hub, "bash script.sh", { session: "two" }), true);
  assert.equal(await asks(hub, "bash ./script.sh"), true);
  assert.equal(await asks(hub, "bash script.sh", { env: { TZ: "UTC" } }), true);
  const foreign = { ...LOCAL_AGENT, id: "another" };
  const params = { command: "bash script.sh", cwd: hub.workspace, session };
  await assert.rejects(hub.hub.proposals.propose(params, foreign), { code: "UNAUTHORIZED" });
  writeFileSync(join(hub.workspace, "script.sh"), "rm -rf ~\n");
  assert.equal(await asks(hub, "bash script.sh"), true, "the script is another");
  writeFileSync(join(hub.workspace, "script.sh"), "true\n");
  assert.equal(await asks(hub, "bash script.sh"), false);
});

test("over a crash both the card and the answer are there; the answer ends after half an hour, whatever the clock is set to", async (t) => {
  const hub = await openHub(t);
  const approvalId = await expire(hub);
  await hub.crashAndReopen();
  assert.equal((await hub.hub.lateAnswers.list()).length, 1);
  await hub.hub.lateAnswers.allow(approvalId, {}, ALICE);
  await hub.crashAndReopen();
  assert.equal(await asks(hub), false);
  await hub.hub.lateAnswers.allow(await expire(hub), {}, ALICE);
  hub.clock.setWall(-3_600_000);
  assert.equal(await asks(hub), true, "before it was given");
  hub.clock.setWall(3_600_000);
  hub.clock.setWall(-60_000);
  hub.clock.advance(HALF_AN_HOUR);
  assert.equal(await asks(hub), true, "by the clock that can't be set");
  const old = await expire(hub);
  hub.clock.advance(HALF_AN_HOUR);
  await assert.rejects(hub.hub.lateAnswers.allow(old, {}, ALICE), NOT_FOUND);
});

test("refused where the policy denies by now, on the floor, while paused; and what it denies later wins over the answer", async (t) => {
  const hub = await openHub(t, { profile: {} });
  const floor = await expire(hub, "rm -rf ~");
  await assert.rejects(hub.hub.lateAnswers.allow(floor, {}, ALICE), { code: "UNAUTHORIZED" });
  const one = await expire(hub, "touch one");
  const two = await expire(hub, "touch two");
  await hub.hub.pause(ALICE);
  await assert.rejects(hub.hub.lateAnswers.allow(one, {}, ALICE), { code: "UNAUTHORIZED" });
  await hub.hub.resume(ALICE);
  await hub.hub.lateAnswers.allow(one, {}, ALICE);
  hub.writeProfile({ denylist: [{ pattern: "touch **", why: "Not here." }] });
  const denied = await hub.propose("touch one", { session });
  assert.deepEqual([denied.kind, denied.reason], ["denied", "Not here."]);
  await assert.rejects(hub.hub.lateAnswers.allow(two, {}, ALICE), { code: "UNAUTHORIZED", message: /Not here/ });
  assert.equal(hub.hub.grants.list().length, 1, "it wasn't used up");
});

test("what silence allowed has run, and isn't offered; what was taken back isn't there", async (t) => {
  const hub = await openHub(t, { profile: { askFallback: "full" } });
  const outcome = hub.propose("touch made", { session });
  const { approvalId } = await hub.asked();
  hub.clock.advance(60_000);
  assert.equal((await outcome).kind, "exited");
  await assert.rejects(hub.hub.lateAnswers.allow(approvalId, {}, ALICE), NOT_FOUND);
  const other = await openHub(t);
  const { grant } = await other.hub.lateAnswers.allow(await expire(other), {}, ALICE);
  await other.hub.grants.revoke(grant, BOB);
  assert.equal(await asks(other), true);
  const limited = await openHub(t, { limits: { grants: 0 } });
  await assert.rejects(limited.hub.lateAnswers.allow(await expire(limited), {}, ALICE), { code: "LIMIT" });
});

test("signed as decisions are, over this decision and no other; a nonce is good once", async (t) => {
  const hub = await openHub(t);
  const key = await generateDeviceKey();
  await hub.hub.devices.enrol({ deviceId: "phone", name: "phone", publicKey: key.publicKey }, ALICE);
  const first = await expire(hub);
  const { proposalHash } = (await hub.hub.lateAnswers.list())[0] as { proposalHash: string };
  const sign = async (approvalId: string, decision: "allow-once" | "allow-if-asks-again", nonce = makeNonce()) => ({
    nonce,
    keyId: key.keyId,
    signature: await signDecision({ approvalId, proposalHash, decision, nonce }, key.privateKey),
  });
  const once = await sign(first, "allow-once");
  await assert.rejects(hub.hub.lateAnswers.allow(first, once, ALICE), { code: "UNAUTHORIZED" });
  const good = await sign(first, "allow-if-asks-again");
  await hub.hub.lateAnswers.allow(first, good, ALICE);
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 100 });
  assert.equal(entries.findLast(({ type }) => type === "policy-changed")?.body.assurance, "device");
  assert.equal(await asks(hub), false);
  const second = await expire(hub);
  const replayed = await sign(second, "allow-if-asks-again", good.nonce);
  await assert.rejects(hub.hub.lateAnswers.allow(second, replayed, ALICE), { code: "UNAUTHORIZED", message: /nonce/ });
  await assert.rejects(hub.hub.lateAnswers.allow(second, good, ALICE), { code: "UNAUTHORIZED" });
});

test("over the wire: only approvers, listed among what is allowed for a while", async (t) => {
  const server = await openServer(t);
  mkProfile(server.home.profiles);
  const outcome = server.api("POST", "/api/v1/exec", { command: "touch made", cwd: server.workspace, session });
  assert.equal(((await outcome).body as { kind: string }).kind, "denied", "nobody saw it");
  const [card] = (await server.api("GET", "/api/v1/expired")).body as { approvalId: string }[];
  const path = `/api/v1/approvals/${card?.approvalId}/allow-if-asks-again`;
  const { token } = await server.makeToken("agent");
  assert.equal((await server.api("POST", path, {}, token)).status, 403);
  assert.equal((await server.api("POST", path, { decision: "deny" })).status, 400);
  const { body } = await server.api("POST", path, {});
  const [listed] = (await server.api("GET", "/api/v1/grants")).body as Record<string, unknown>[];
  assert.deepEqual(
    [listed?.id, listed?.once, listed?.command, listed?.session],
    [(body as { grant: string }).grant, true, "touch made", session],
  );
  const again = await server.api("POST", path, {});
  assert.deepEqual(
    [again.status, (again.body as { error: { message: string } }).error.message],
    [404, APPROVAL_NOT_FOUND],
  );
});

function mkProfile(profiles: string): void {
  mkdirSync(join(profiles, "default"), { recursive: true });
  writeFileSync(join(profiles, "default", "config.json"), JSON.stringify({ execApproval: { timeoutMs: 1 } }));
}
