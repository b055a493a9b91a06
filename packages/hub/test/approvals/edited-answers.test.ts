import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { wordsForAgent } from "@countersign/protocol/describe";
import { proposalHashOf } from "@countersign/protocol/text";
import { generateDeviceKey, makeNonce, signDecision } from "@countersign/sdk";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

const session = "one";

function external(hub: TestHub, command: string) {
  const call = { executor: { kind: "external", enforcement: "none" }, card: {} } as const;
  return hub.hub.proposals.proposeByTool({ command, cwd: hub.workspace, session }, LOCAL_AGENT, call);
}

test("what a person wrote runs instead, and only that; the agent is told, and both hashes are on record", async (t) => {
  const hub = await openHub(t);
  const outcome = hub.propose("touch asked", { session });
  const { approvalId, proposalHash } = await hub.asked();
  const command = "touch written";
  assert.deepEqual(await hub.hub.answer(approvalId, { decision: "allow-once", command }, ALICE), { ok: true });
  const ended = await outcome;
  assert.deepEqual([ended.kind, ended.edited], ["exited", { by: "alice", command }]);
  assert.equal(wordsForAgent(ended, 0), "alice changed it to `touch written`; that is what ran.");
  assert.deepEqual(readdirSync(hub.workspace), ["written"]);
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 100 });
  const key = entries.find(({ type }) => type === "decided")?.proposalKey ?? "";
  const decided = entries.find(({ type }) => type === "decided")?.body;
  assert.match(String(decided?.editedFrom), /^hmac-sha256:/);
  assert.notEqual(decided?.editedFrom, decided?.proposalHash);
  assert.notEqual(decided?.editedFrom, proposalHash);
  assert.doesNotMatch(JSON.stringify(entries), /touch/);
  assert.equal((await hub.store.proposal(key))?.command, command);
  // Whoever asks for the story finds the text that ran, and that it is the one on record.
  assert.equal((await hub.hub.record.story(approvalId)).texts?.command, "same");
});

test("whoever runs it by itself is told to propose exactly that, and it is permitted once", async (t) => {
  const hub = await openHub(t);
  const asked = external(hub, "touch asked");
  const { approvalId } = await hub.asked();
  const command = "touch written";
  const { note } = await hub.hub.answer(approvalId, { decision: "allow-once", command }, ALICE);
  assert.match(note ?? "", /told to propose what you wrote/);
  const passed = await asked;
  assert.ok("outcome" in passed);
  assert.equal(wordsForAgent(passed.outcome, 0), "Propose exactly `touch written`; it is permitted once for 10 min.");
  assert.deepEqual(await hub.store.denials(), []);
  await hub.crashAndReopen();
  const [grant] = hub.hub.grants.list();
  assert.equal(grant?.expiresAtMs, hub.clock.wallMs() + 600_000);
  const again = await external(hub, command);
  assert.ok("permit" in again);
  assert.equal(again.permit.assessment.decision.by, "grant");
  const third = external(hub, command);
  await hub.hub.answer((await hub.asked()).approvalId, { decision: "deny" }, ALICE);
  assert.ok("outcome" in (await third), "once");
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 100 });
  const refused = entries.find(({ type, body }) => type === "decided" && body.verdict === "deny")?.body;
  assert.deepEqual([typeof refused?.editedTo, refused?.grants, refused?.person], ["string", [grant?.id], "alice"]);
});

test("after ten minutes it is asked about again", async (t) => {
  const hub = await openHub(t);
  const asked = external(hub, "touch asked");
  await hub.hub.answer((await hub.asked()).approvalId, { decision: "allow-once", command: "touch b" }, ALICE);
  await asked;
  hub.clock.advance(600_000);
  const again = external(hub, "touch b");
  await hub.hub.answer((await hub.asked()).approvalId, { decision: "deny" }, ALICE);
  assert.ok("outcome" in (await again));
});

test("what can't be put in its place is refused, and it goes on waiting as it was", async (t) => {
  const hub = await openHub(t, { profile: { denylist: [{ pattern: "wget **", why: "Not from here." }] } });
  const outcome = hub.propose("touch asked", { session });
  const { approvalId } = await hub.asked();
  const wrong: [object, RegExp][] = [
    [{ command: "wget https://x.io" }, /Not from here/],
    [{ command: "rm -rf ~" }, /floor/],
    [{ command: "echo [REDACTED: 42 characters]" }, /hidden/],
    [{ command: " " }, /empty/],
    [{ command: "a\0b" }, /NUL/],
    [{ command: "touch b", times: 2 }, /for one/],
    [{ command: "touch b", decision: "deny" }, /allow-once/],
    [{ command: "touch b", decision: "allow-always" }, /allow-once/],
    [{ command: `touch ${"x".repeat(131_072)}` }, /limit: command/],
  ];
  for (const [change, message] of wrong) {
    await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once", ...change }, ALICE), { message });
  }
  assert.deepEqual(readdirSync(hub.workspace), []);
  await hub.hub.answer(approvalId, { decision: "allow-once", command: "touch asked" }, ALICE);
  assert.deepEqual([(await outcome).kind, (await outcome).edited], ["exited", undefined], "the same isn't an edit");
});

test("a signature is over what was written: it can't be put under something else", async (t) => {
  const hub = await openHub(t, { profile: { assurance: "device" } });
  const key = await generateDeviceKey();
  await hub.hub.devices.enrol({ deviceId: "phone", name: "phone", publicKey: key.publicKey }, ALICE);
  const outcome = hub.propose("touch asked", { session });
  const { approvalId, proposalHash, cwd = "", env } = await hub.asked();
  const decision = "allow-once" as const;
  const sign = async (hash: string) => {
    const nonce = makeNonce();
    const signature = await signDecision({ approvalId, proposalHash: hash, decision, nonce }, key.privateKey);
    return { decision, nonce, keyId: key.keyId, signature };
  };
  const command = "rm -rf written";
  const plain = { decision, command };
  const forAsked = await sign(proposalHash);
  const forWritten = await sign(await proposalHashOf({ command, cwd, env }));
  for (const wrong of [plain, { ...forAsked, command }, forWritten, { ...forWritten, command: "rm -rf other" }]) {
    await assert.rejects(hub.hub.answer(approvalId, wrong, ALICE), { code: "UNAUTHORIZED" });
  }
  await hub.hub.answer(approvalId, { ...forWritten, command }, ALICE);
  assert.equal((await outcome).edited?.command, command);
});

test("a change of the policy has no command to change", async (t) => {
  const hub = await openHub(t, { profile: {} });
  await hub.propose("ls");
  hub.writeProfile({ security: "full" });
  await hub.propose("ls");
  const { approvalId, subject } = await hub.asked();
  assert.equal(subject, "policy");
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once", command: "true" }, ALICE), {
    code: "INVALID_PARAMS",
  });
});
