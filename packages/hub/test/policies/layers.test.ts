import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

const DENIES_LS = { denylist: [{ pattern: "ls **", why: "not here" }] };

function writeRepository(directory: string, block: object | string): string {
  const text = typeof block === "string" ? block : JSON.stringify({ execApproval: block });
  mkdirSync(join(directory, ".countersign"), { recursive: true });
  writeFileSync(join(directory, ".countersign", "policy.json"), text);
  return sha256Hex(text);
}

async function verdict(hub: TestHub, command: string, cwd = hub.workspace) {
  const { decision } = await hub.hub.explain({ command, cwd });
  return decision.verdict;
}

test("what a repository denies applies at once, and wherever inside of it a command is proposed", async (t) => {
  const hub = await openHub(t);
  const deep = join(hub.workspace, "a", "b");
  mkdirSync(deep, { recursive: true });
  assert.equal((await hub.propose("ls")).kind, "exited");
  writeRepository(hub.workspace, DENIES_LS);
  const outcome = await hub.propose("ls");
  assert.deepEqual([outcome.by, outcome.reason], ["deny-entry", "not here"]);
  assert.equal((await hub.propose("ls", { cwd: deep })).by, "deny-entry");
  writeRepository(join(hub.workspace, "a"), {});
  assert.equal((await hub.propose("ls", { cwd: deep })).by, "deny-entry", "a nearer file hides none above it");
  const beside = join(hub.workspace, "..", "beside");
  mkdirSync(beside);
  assert.equal(await verdict(hub, "ls", beside), "allow");
  assert.equal(await verdict(hub, `cd ${hub.workspace} && ls`, beside), "deny", "it counts where a part of it runs");
  writeRepository(hub.workspace, {});
  assert.equal((await hub.propose("ls")).kind, "exited");
});

test("a repository's settings only tighten, and the floor guards its file", async (t) => {
  const hub = await openHub(t, { profile: { security: "full", ask: "off" } });
  writeRepository(hub.workspace, { security: "allowlist" });
  assert.equal(await verdict(hub, "touch made"), "deny");
  writeRepository(hub.workspace, { security: "full", ask: "on-miss", sandbox: "off" });
  assert.equal(await verdict(hub, "touch made"), "allow");
  for (const command of ["rm .countersign/policy.json", "echo > .countersign/policy.json", "mv .countersign away"]) {
    const { decision } = await hub.hub.explain({ command, cwd: hub.workspace });
    assert.deepEqual([decision.verdict, decision.by], ["deny", "floor"], command);
  }
});

test("a repository's file that can't be read denies everything there, and the answer names it", async (t) => {
  const hub = await openHub(t, { profile: { security: "full" } });
  const file = join(hub.workspace, ".countersign", "policy.json");
  const broken = [
    "{",
    "[]",
    '{"execApproval":{"denylist":[{"pattern":7}]}}',
    '{"execApproval":{"unheard":1}}',
    '{"execApproval":{"denyList":[]}}',
    '{"execAproval":{}}',
    `{"execApproval":{}} ${" ".repeat(1024 * 1024)}`,
  ];
  for (const text of broken) {
    writeRepository(hub.workspace, text);
    const outcome = await hub.propose("ls");
    assert.deepEqual([outcome.kind, outcome.by], ["denied", "policy"], text.slice(0, 60));
    assert.match(outcome.reason ?? "", new RegExp(`^What it denies can't be known: ${file}`));
  }
  writeRepository(hub.workspace, '{"execAproval":{"denylist":[]}}');
  assert.match((await hub.propose("ls")).reason ?? "", /did you mean execApproval\?/);
  rmSync(file);
  mkdirSync(file);
  assert.match((await hub.propose("ls")).reason ?? "", /isn't a regular file/);
  rmSync(file, { recursive: true });
  execFileSync("mkfifo", [file]);
  assert.match((await hub.propose("ls")).reason ?? "", /isn't a regular file/);
  rmSync(file);
  symlinkSync("policy.json", file);
  assert.match((await hub.propose("ls")).reason ?? "", /can't be read/);
  rmSync(file);
  writeFileSync(join(hub.workspace, "other"), "swordfish");
  symlinkSync(join(hub.workspace, "other"), file);
  assert.doesNotMatch((await hub.propose("ls")).reason ?? "", /sword/, "what a link leads to isn't told");
  rmSync(file);
  assert.equal((await hub.propose("ls")).kind, "exited");
});

test("what a repository allows applies once somebody trusts exactly that file, and no longer than it stays so", async (t) => {
  const hub = await openHub(t);
  const { workspace } = hub;
  const sha256 = writeRepository(workspace, { allowlist: [{ pattern: "touch **" }] });
  const trust = (body: object) => hub.hub.policyEdits.trust({ directory: workspace, ...body }, ALICE);
  assert.equal(await verdict(hub, "touch made"), "ask");
  await assert.rejects(trust({ sha256: sha256Hex("other") }), { code: "CONFLICT" });
  await assert.rejects(trust({ sha256: "x" }), { code: "INVALID_PARAMS" });
  await trust({ sha256 });
  const { decision } = await hub.hub.explain({ command: "touch made", cwd: workspace });
  assert.deepEqual([decision.verdict, decision.by], ["allow", "entry"]);
  assert.match(decision.entryIds.join(), /^repository-[0-9a-f]{16}$/);
  assert.equal(await verdict(hub, "touch /tmp/made"), "ask", "a repository speaks for itself alone");
  assert.equal(await verdict(hub, "cd /tmp && touch made"), "ask");
  await hub.restart();
  assert.equal(await verdict(hub, "touch made"), "allow", "it is durable");
  writeRepository(workspace, { allowlist: [{ pattern: "touch **" }, { pattern: "mkdir **" }] });
  assert.deepEqual([await verdict(hub, "touch made"), await verdict(hub, "mkdir made")], ["ask", "ask"]);
  assert.equal(writeRepository(workspace, { allowlist: [{ pattern: "touch **" }] }), sha256);
  assert.equal(await verdict(hub, "touch made"), "allow");
  await trust({ sha256: null });
  assert.equal(await verdict(hub, "touch made"), "ask");
  const changes = (await hub.store.ledger({ afterSeq: 0, limit: 100 })).filter(({ body }) => body.repository);
  assert.deepEqual(
    changes.map(({ body }) => [body.by, body.person, body.hash]),
    [
      ["trusted", "alice", `sha256:${sha256}`],
      ["no-longer-trusted", "alice", undefined],
    ],
  );
});

test("trust is about real directories, and needs a resumed hub", async (t) => {
  const hub = await openHub(t);
  const sha256 = writeRepository(hub.workspace, { allowlist: [{ pattern: "touch **" }] });
  const link = join(hub.workspace, "link");
  symlinkSync(hub.workspace, link);
  const trust = (directory: string) => hub.hub.policyEdits.trust({ directory, sha256 }, ALICE);
  await assert.rejects(trust(link), { code: "INVALID_PARAMS" });
  await assert.rejects(trust(join(hub.workspace, "none")), { code: "NOT_FOUND" });
  await hub.hub.pause(ALICE);
  await assert.rejects(trust(hub.workspace), { code: "UNAUTHORIZED" });
  await hub.hub.resume(ALICE);
  await trust(hub.workspace);
});

async function withOrganisation(hub: TestHub, block: object | undefined): Promise<string | undefined> {
  const file = join(hub.workspace, "..", "organisation.json");
  const text = JSON.stringify({ execApproval: block });
  if (block) writeFileSync(file, text);
  await hub.hub.close();
  await hub.store.close();
  await hub.reopenWith(block ? { organisation: { file, sha256: sha256Hex(text) } } : {});
  return block && file;
}

test("an organisation's policy can't be loosened from below, and what it allows applies", async (t) => {
  const hub = await openHub(t, { profile: { security: "full", ask: "off", allowlist: [{ pattern: "mkdir **" }] } });
  await withOrganisation(hub, { security: "allowlist", denylist: [{ pattern: "curl **", why: "no" }] });
  assert.deepEqual([await verdict(hub, "curl x"), await verdict(hub, "touch made")], ["deny", "deny"]);
  assert.equal(await verdict(hub, "mkdir made"), "allow", "what the profile allows stays allowed");
  hub.writeProfile({ security: "full", ask: "off", denylist: [], sandbox: "off" });
  assert.equal(await verdict(hub, "curl x"), "deny");
  const file = join(hub.workspace, "..", "organisation.json");
  assert.equal((await hub.hub.explain({ command: `echo > ${file}`, cwd: hub.workspace })).decision.by, "floor");
});

test("another organisation's policy waits for a person where it allows more, and until then both hold", async (t) => {
  const hub = await openHub(t);
  await withOrganisation(hub, { denylist: [{ pattern: "ls **" }] });
  assert.equal(await verdict(hub, "ls"), "deny", "denying more needs nobody");
  assert.deepEqual(await hub.hub.approvals.list({ limit: 10 }), []);
  await withOrganisation(hub, { denylist: [{ pattern: "pwd **" }], allowlist: [{ pattern: "touch **" }] });
  const verdicts = async () => Promise.all(["ls", "pwd", "touch made"].map((command) => verdict(hub, command)));
  assert.deepEqual(await verdicts(), ["deny", "deny", "ask"]);
  assert.match((await hub.hub.state()).warnings.join(), /organisation's policy is frozen/);
  const card = await hub.asked();
  assert.deepEqual(card.riskReasons, ['allowlist: adds or widens "touch **"', 'denylist: removes or shortens "ls **"']);
  await hub.hub.answer(card.approvalId, { decision: "allow-once" }, ALICE);
  assert.deepEqual(await verdicts(), ["allow", "deny", "allow"]);
  await withOrganisation(hub, undefined);
  assert.deepEqual(await verdicts(), ["allow", "deny", "allow"], "taking it away waits too");
  const gone = await hub.asked();
  assert.match(gone.riskReasons[0] ?? "", /organisation\.json no longer applies/);
  await hub.hub.answer(gone.approvalId, { decision: "deny" }, ALICE);
  await hub.restart();
  assert.equal(hub.hub.approvals.pending, 0, "a denied one isn't asked about again");
  assert.deepEqual(await verdicts(), ["allow", "deny", "allow"]);
});

test("a file that isn't the pinned one refuses the start, unless the pinned one is known", async (t) => {
  const hub = await openHub(t);
  const file = (await withOrganisation(hub, { denylist: [{ pattern: "ls **" }] })) ?? "";
  writeFileSync(file, "{}");
  await hub.restart();
  assert.equal(await verdict(hub, "ls"), "deny");
  assert.match((await hub.hub.state()).warnings.join(), /isn't the one that config\.json pins.*stays in force/);
  await hub.hub.close();
  await hub.store.close();
  for (const organisation of [
    { file, sha256: "0".repeat(64) },
    { file: `${file}.none`, sha256: sha256Hex("{}") },
  ]) {
    await assert.rejects(hub.reopenWith({ organisation }), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /isn't the one that config\.json pins/);
      return true;
    });
    await hub.store.close();
  }
  writeFileSync(file, '{"execApproval":{"unheard":1}}');
  const invalid = { file, sha256: sha256Hex('{"execApproval":{"unheard":1}}') };
  await assert.rejects(hub.reopenWith({ organisation: invalid }), /unheard/);
  await hub.store.close();
  await hub.reopenWith({});
});

test("where the organisation takes only a device's word, no token widens any policy", async (t) => {
  const hub = await openHub(t);
  await withOrganisation(hub, { assurance: "device" });
  hub.writeProfile({ allowlist: [{ pattern: "touch **" }] });
  await verdict(hub, "ls");
  const { approvalId } = await hub.asked();
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE), { code: "UNAUTHORIZED" });
  const change = { action: "allow", entries: [{ pattern: "mkdir **" }] };
  await assert.rejects(hub.hub.policyEdits.edit({ profile: "default", change }, ALICE), { code: "UNAUTHORIZED" });
  const sha256 = writeRepository(hub.workspace, { allowlist: [{ pattern: "touch **" }] });
  const trust = hub.hub.policyEdits.trust({ directory: hub.workspace, sha256 }, ALICE);
  await assert.rejects(trust, { code: "UNAUTHORIZED" });
  const deny = { action: "deny", entries: [{ pattern: "mkdir **" }] };
  await hub.hub.policyEdits.edit({ profile: "default", change: deny }, ALICE);
});
