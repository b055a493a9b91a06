import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

function fileOf(hub: TestHub): string {
  return join(hub.home.profiles, "default", "config.json");
}

async function policyQuestion(hub: TestHub): Promise<ExecApprovalRequestPayload | undefined> {
  await hub.propose("ls");
  return (await hub.hub.approvals.list({ limit: 100 })).find((approval) => approval.subject === "policy");
}

test("a broken profile denies everything under it and says which field; mending it is enough", async (t) => {
  const hub = await openHub(t, { profile: { timeoutMs: 5_000 } });
  for (const [content, named] of [
    ['{"execApproval":{"timeoutMs":"soon"}}', /timeoutMs/],
    ['{"execApproval":{"security":"open"}}', /security/],
    ['{"execApproval":{"allowlist":[{"pattern":7}]}}', /allowlist\.0\.pattern/],
    ['{"execApproval":{"denyList":[{"pattern":"ls **"}]}}', /denyList: .*did you mean denylist\?/],
    ['{"execApproval":{"securty":"deny"}}', /securty: .*did you mean security\?/],
    ['{"execAproval":{"security":"deny"}}', /execAproval: .*did you mean execApproval\?/],
    ['{"execApproval":{"timeoutMs":1e999}}', /timeoutMs/],
    ['{"execApproval":', /isn't valid JSON/],
    ["[]", /file/],
  ] as const) {
    writeFileSync(fileOf(hub), content);
    const outcome = await hub.propose("ls");
    assert.deepEqual([outcome.kind, outcome.by], ["denied", "policy"], content);
    assert.match(outcome.reason ?? "", named);
    assert.match((await hub.hub.state()).warnings.join(), named);
  }
  hub.writeProfile({ timeoutMs: 5_000 });
  assert.equal((await hub.propose("ls")).kind, "exited");
});

test("a profile with a mistyped key refuses the start; one that an older version accepted opens", async (t) => {
  const hub = await openHub(t, { profile: {} });
  const accepted = await hub.store.setting("profile.default.accepted");
  assert.ok(accepted);
  const older = { ...(accepted as object), denyList: [], allowlist: [{ pattern: "ls", cieling: {} }] };
  await hub.store.commit([{ op: "put-setting", key: "profile.default.accepted", value: older }]);
  await hub.restart();
  assert.equal((await hub.propose("ls")).kind, "exited");
  hub.writeProfile({ denyList: [] });
  await assert.rejects(hub.restart(), { name: "StartError", message: /denyList: .*did you mean denylist\?/ });
  hub.writeProfile({});
  await hub.crashAndReopen();
});

test("allow-always keeps unknown keys at every level, and what others added meanwhile", async (t) => {
  const hub = await openHub(t);
  writeFileSync(
    join(hub.home.profiles, "default-is-made-by-writeProfile"),
    "a stray file beside the profiles doesn't matter",
  );
  hub.writeProfile({ denylist: [{ pattern: "shutdown **", note: "mine" }], theirs: 1 });
  const file = JSON.parse(readFileSync(fileOf(hub), "utf8"));
  writeFileSync(fileOf(hub), JSON.stringify({ ...file, other: { tool: true } }));
  // An unknown key inside the block could mean anything to a later version, so adding one is asked about.
  const edit = await policyQuestion(hub);
  if (edit) await hub.hub.answer(edit.approvalId, { decision: "allow-once" }, ALICE);
  const outcomes = ["touch a", "mkdir b"].map((command) => hub.propose(command));
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const waiting = await hub.hub.approvals.list({ limit: 10 });
  const answers = await Promise.all(
    waiting.map(({ approvalId }) => hub.hub.answer(approvalId, { decision: "allow-always" }, ALICE)),
  );
  assert.deepEqual(answers.flatMap((answer) => answer.saved).sort(), ["mkdir **", "touch **"]);
  await Promise.all(outcomes);
  const written = JSON.parse(readFileSync(fileOf(hub), "utf8"));
  assert.deepEqual(written.other, { tool: true });
  assert.equal(written.execApproval.theirs, 1);
  assert.equal(written.execApproval.denylist[0].note, "mine");
  const saved = written.execApproval.allowlist as { pattern: string; by: string; ceiling: { kinds: string[] } }[];
  assert.deepEqual(saved.map(({ pattern, by }) => [pattern, by]).sort(), [
    ["mkdir **", "alice"],
    ["touch **", "alice"],
  ]);
  assert.ok(saved.every((entry) => entry.ceiling.kinds.length > 0));
  assert.equal(statSync(fileOf(hub)).mode & 0o777, 0o600);
  assert.equal(await policyQuestion(hub), undefined, "our own edit isn't an outside one");
});

test("an outside edit that tightens applies at once and is on record", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ security: "deny" });
  const outcome = await hub.propose("ls");
  assert.equal(outcome.kind, "denied");
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 100 });
  assert.deepEqual(
    entries.filter((entry) => entry.type === "policy-changed").map((entry) => entry.body.by),
    ["first-start", "tightened"],
  );
});

test("an outside edit that widens is frozen, asked about with what it widens, and applies when allowed", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ security: "full", allowlist: [{ pattern: "npm **" }] });
  const edit = await policyQuestion(hub);
  assert.equal(edit?.riskLevel, "dangerous");
  assert.match(edit?.riskReasons.join("\n") ?? "", /security/);
  assert.match(edit?.riskReasons.join("\n") ?? "", /npm \*\*/);
  const asked = hub.propose("touch made");
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.match((await hub.hub.state()).warnings.join(), /frozen/);
  await hub.hub.answer(edit?.approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await hub.propose("touch other")).by, "policy");
  assert.deepEqual((await hub.hub.state()).warnings, []);
  const left = assert.rejects(asked, /stays open/);
  await hub.hub.close();
  await left;
});

test("of an edit that does both, the tightening holds while the widening waits", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ denylist: [{ pattern: "ls **" }], allowlist: [{ pattern: "touch **" }] });
  assert.equal((await hub.propose("ls")).by, "deny-entry");
  const outcome = hub.propose("touch made");
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const left = assert.rejects(outcome, /stays open/);
  await hub.hub.close();
  await left;
});

test("a refused edit stays frozen and isn't asked about again, also after a restart; taking it back unfreezes", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ security: "full" });
  const edit = await policyQuestion(hub);
  await hub.hub.answer(edit?.approvalId, { decision: "deny" }, ALICE);
  assert.equal(await policyQuestion(hub), undefined);
  await hub.restart();
  assert.equal(await policyQuestion(hub), undefined);
  assert.match((await hub.hub.state()).warnings.join(), /frozen/);
  hub.writeProfile({});
  await hub.propose("ls");
  assert.deepEqual((await hub.hub.state()).warnings, []);
});

test("an edit made while the hub was down is noticed at the next start, and asked about once", async (t) => {
  const hub = await openHub(t, { profile: {} });
  await hub.hub.close();
  await hub.store.close();
  hub.writeProfile({ ask: "off", security: "full" });
  await hub.reopen();
  const [edit, ...more] = await hub.hub.approvals.list({ limit: 10 });
  assert.equal(edit?.subject, "policy");
  assert.deepEqual(more, []);
  await hub.crashAndReopen();
  assert.equal((await hub.hub.approvals.list({ limit: 10 })).length, 1);
});

test("a widening edit that is changed again withdraws the old question", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ security: "full" });
  const first = await policyQuestion(hub);
  hub.writeProfile({ allowlist: [{ pattern: "npm **" }] });
  const second = await policyQuestion(hub);
  assert.notEqual(second?.approvalId, first?.approvalId);
  await assert.rejects(hub.hub.answer(first?.approvalId, { decision: "allow-once" }, ALICE), { code: "NOT_FOUND" });
  assert.equal(hub.hub.approvals.pending, 1);
});

test("an edit to nothing (the file is removed) is judged like any other", async (t) => {
  const hub = await openHub(t, { profile: { security: "deny" } });
  const { rmSync } = await import("node:fs");
  rmSync(fileOf(hub));
  assert.equal((await hub.propose("ls")).kind, "denied", "back to the defaults would widen");
});

test("a profile that appears after the first start is held against the defaults", async (t) => {
  const hub = await openHub(t, { config: { agents: { local: { profile: "strict" } } } });
  hub.writeProfile({ security: "full" }, "strict");
  const outcome = hub.propose("touch made");
  while (hub.hub.approvals.pending < 2) await new Promise((resolve) => setImmediate(resolve));
  const subjects = (await hub.hub.approvals.list({ limit: 10 })).map((approval) => approval.subject);
  assert.deepEqual(subjects.sort(), ["exec", "policy"]);
  const left = assert.rejects(outcome, /stays open/);
  await hub.hub.close();
  await left;
});

test("what a mixed edit tightened stays, also when the edit is taken back", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ denylist: [{ pattern: "ls **" }], allowlist: [{ pattern: "touch **" }] });
  assert.equal((await hub.propose("ls")).by, "deny-entry");
  hub.writeProfile({});
  assert.equal((await hub.propose("ls")).by, "deny-entry", "dropping the deny entry widens");
});

test("an edit of config.json that changes what an agent may do waits for a person", async (t) => {
  const hub = await openHub(t);
  hub.writeProfile({ security: "full" }, "wide");
  await hub.hub.close();
  await hub.store.close();
  await hub.reopenWith({ agents: { local: { profile: "wide" } }, roots: ["/"] });
  assert.match((await hub.hub.state()).warnings.join(), /config\.json/);
  const outcome = hub.propose("touch made");
  while (hub.hub.approvals.pending < 3) await new Promise((resolve) => setImmediate(resolve));
  const cards = await hub.hub.approvals.list({ limit: 10 });
  assert.equal(
    cards.find((card) => card.subject === "exec")?.command,
    "touch made",
    "still under the accepted profile",
  );
  const edit = cards.find((card) => card.command.includes("edit of config.json"));
  assert.deepEqual(edit?.riskReasons, ["roots: adds /", 'agents.local: null → {"profile":"wide","unattended":false}']);
  for (const card of cards.filter((one) => one.subject === "policy")) {
    await hub.hub.answer(card.approvalId, { decision: "allow-once" }, ALICE);
  }
  assert.equal((await hub.propose("touch other")).by, "policy");
  const left = assert.rejects(outcome, /stays open/);
  await hub.hub.close();
  await left;
});

test("where a model is asked, and which, is asked about too: until then nothing goes elsewhere", async (t) => {
  const hub = await openHub(t, { config: { agents: { writer: { model: "ollama/a" } } } });
  await hub.hub.close();
  await hub.store.close();
  const ollama = { kind: "openai-compatible", baseURL: "https://elsewhere.example/v1" };
  await hub.reopenWith({ agents: { writer: { model: "ollama/b" } }, providers: { ollama } });
  assert.deepEqual([hub.hub.config.agents.writer?.model, hub.hub.config.providers], ["ollama/a", {}]);
  const [edit] = await hub.hub.approvals.list({ limit: 1 });
  assert.deepEqual(edit?.riskReasons, [
    'agents.writer: {"model":"ollama/a","unattended":false} → {"model":"ollama/b","unattended":false}',
    'providers.ollama: null → {"baseURL":"https://elsewhere.example/v1","kind":"openai-compatible"}',
  ]);
  await hub.hub.answer(edit?.approvalId, { decision: "allow-once" }, ALICE);
  assert.deepEqual(hub.hub.config.providers, { ollama });
});
