import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sha256Hex } from "@countersign/core/base";
import type { AnswerResult } from "@countersign/protocol/proposals";
import { ALICE, openHub, type TestHub, type TestHubOptions } from "../support/open-hub.ts";

const SESSION = "fix login";

/** A hub with a repository in its workspace. */
async function openScoped(t: TestContext, options: TestHubOptions = {}) {
  const hub = await openHub(t, options);
  const repository = join(hub.workspace, "repo");
  for (const dir of [".git", "app", "other"]) mkdirSync(join(repository, dir), { recursive: true });
  const app = join(repository, "app");
  /** Proposes as a session does; the workspace stays the hub's. */
  const propose = (command: string, cwd = app, session = SESSION) =>
    hub.propose(command, { cwd, session }).then((outcome) => outcome.by);
  /** Whether it is asked about; then it is denied away by withdrawal, which leaves no memory. */
  const asks = async (command: string, cwd = app, session = SESSION) => {
    const proposalId = `${Math.random()}`;
    const outcome = hub.propose(command, { cwd, session, proposalId });
    const asked = Promise.race([outcome.then(() => false), hub.asked().then(() => true)]);
    if (!(await asked)) return false;
    hub.hub.proposals.cancel({ ...ALICE, id: "local" }, proposalId);
    await outcome;
    return true;
  };
  return { hub, repository, app, propose, asks };
}

async function answer(hub: TestHub, command: string, scope: string, more: object = {}): Promise<AnswerResult> {
  const cwd = join(hub.workspace, "repo", "app");
  const outcome = hub.propose(command, { cwd, session: SESSION, ...more });
  const { approvalId } = await hub.asked();
  const result = await hub.hub.answer(approvalId, { decision: "allow-always", scope, reason: "it is fine" }, ALICE);
  await outcome;
  return result;
}

const config = { agents: { local: { workspace: "" } } };

async function withWorkspace(t: TestContext) {
  const scoped = await openScoped(t);
  const { hub } = scoped;
  // The agent's workspace is configured, so that its cwd doesn't become one.
  await hub.hub.close();
  await hub.store.close();
  config.agents.local.workspace = hub.workspace;
  await hub.reopenWith(config);
  for (const { approvalId } of await hub.hub.approvals.list({ limit: 10 }))
    await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  return scoped;
}

test("exact@session: the very command, in that session and place, also after a crash, and no longer than a day", async (t) => {
  const { hub, app, repository, propose, asks } = await withWorkspace(t);
  assert.deepEqual(await answer(hub, "echo x > made", "exact@session"), { ok: true, saved: ["echo x > made"] });
  assert.equal(await propose("echo x > made"), "entry");
  assert.equal(await asks("echo y > made"), true);
  assert.equal(await asks("echo x > made", repository), true);
  assert.equal(await asks("echo x > made", app, "another session"), true);
  await hub.crashAndReopen();
  assert.equal(await propose("echo x > made"), "entry");
  hub.clock.advance(86_400_000);
  assert.equal(await asks("echo x > made"), true);
});

test("minutes hold in the workspace, in any session, until they are over", async (t) => {
  const { hub, app, propose, asks } = await withWorkspace(t);
  const { saved } = await answer(hub, "touch a", "pattern:touch *@30m");
  assert.deepEqual(saved, ["touch *"]);
  assert.equal(await propose("touch b", app, "another"), "entry");
  assert.equal(await propose("touch b", hub.workspace), "entry");
  assert.equal(await asks("touch b c"), true);
  hub.clock.advance(30 * 60_000);
  assert.equal(await asks("touch b"), true);
});

test("directory, repository and forever are entries in the profile's file, with who, when and why", async (t) => {
  const { hub, app, repository, propose, asks } = await withWorkspace(t);
  await answer(hub, "mkdir one", "exact@directory");
  await answer(hub, "touch a", "program@repository");
  await answer(hub, "rmdir one", "exact@forever");
  const file = JSON.parse(readFileSync(join(hub.home.profiles, "default", "config.json"), "utf8"));
  const { allowlist } = file.execApproval;
  assert.deepEqual(
    allowlist.map(({ pattern, command, directory, by, why }: Record<string, unknown>) => [
      pattern,
      command,
      directory,
      by,
      why,
    ]),
    [
      ["mkdir one", "mkdir one", app, "alice", "it is fine"],
      ["touch **", undefined, repository, "alice", "it is fine"],
      ["rmdir one", "rmdir one", undefined, "alice", "it is fine"],
    ],
  );
  assert.ok(allowlist.every(({ id, atMs }: Record<string, unknown>) => typeof id === "string" && Number(atMs) > 0));
  for (const session of [SESSION, "another"]) {
    assert.equal(await propose("mkdir one", app, session), "entry");
    assert.equal(await propose("touch b", join(repository, "other"), session), "entry");
    assert.equal(await propose("rmdir one", app, session), "entry");
  }
  assert.equal(await asks("mkdir one", repository), true);
  assert.equal(await asks("touch b", hub.workspace), true);
});

test("code that changed is asked about again; what isn't held is said plainly", async (t) => {
  const { hub, app, propose, asks } = await withWorkspace(t);
  writeFileSync(join(app, "x.sh"), "echo one");
  assert.deepEqual(await answer(hub, "bash x.sh", "exact@session"), { ok: true, saved: ["bash x.sh"] });
  const plain = hub.propose("bash x.sh a", { cwd: app, session: SESSION });
  const { approvalId } = await hub.asked();
  assert.deepEqual(await hub.hub.answer(approvalId, { decision: "allow-always" }, ALICE), {
    ok: true,
    saved: ["bash x.sh **"],
  });
  await plain;
  for (const command of ["bash x.sh", "bash x.sh a"]) assert.equal(await propose(command), "entry");
  writeFileSync(join(app, "x.sh"), "echo two");
  for (const command of ["bash x.sh", "bash x.sh a"]) assert.equal(await asks(command), true);
  writeFileSync(join(app, "x.sh"), "echo one");
  for (const command of ["bash x.sh", "bash x.sh a"]) assert.equal(await propose(command), "entry");
  const { note } = await answer(hub, "make -C sub", "exact@session");
  assert.match(note ?? "", /doesn't hold the code/);
});

test("effects are granted with a note while there's no jail, and let nothing through", async (t) => {
  const { hub, asks } = await withWorkspace(t);
  const { saved, note } = await answer(hub, "touch a", "effects@session");
  assert.deepEqual(saved, [hub.workspace]);
  assert.match(note ?? "", /jail/);
  assert.equal(await asks("touch a"), true);
  const inProfile = await answer(hub, "touch a", "effects@repository");
  assert.deepEqual(inProfile.saved, [join(hub.workspace, "repo")]);
  const file = JSON.parse(readFileSync(join(hub.home.profiles, "default", "config.json"), "utf8"));
  assert.deepEqual(
    file.execApproval.grants.map(({ root, by }: Record<string, unknown>) => [root, by]),
    [[join(hub.workspace, "repo"), "alice"]],
  );
  assert.deepEqual((await hub.hub.state()).warnings, [], "our own edit isn't an outside one");
});

test("a scope that can't be is refused, and the answer has no effect", async (t) => {
  const { hub, app } = await withWorkspace(t);
  const outcome = hub.propose("rm -rf build", { cwd: app, session: SESSION });
  const { approvalId } = await hub.asked();
  const refused = [
    "exact",
    "exact@",
    "exact@0m",
    "exact@43201m",
    "nothing@session",
    "pattern:@session",
    "pattern:mkdir **@session",
    "pattern:rm **@session",
    "program@session",
    "effects@session",
    "effects@forever",
    "",
  ];
  for (const scope of refused) {
    const given = { decision: "allow-always", scope };
    await assert.rejects(hub.hub.answer(approvalId, given, ALICE), { code: "INVALID_PARAMS" }, scope);
  }
  for (const decision of ["allow-once", "deny"]) {
    const given = { decision, scope: "exact@session" };
    await assert.rejects(hub.hub.answer(approvalId, given, ALICE), { code: "INVALID_PARAMS" }, decision);
  }
  assert.equal(hub.hub.approvals.pending, 1);
  assert.deepEqual(await hub.store.grants(), []);
  assert.equal(existsSync(join(hub.home.profiles, "default", "config.json")), false);
  await hub.hub.answer(approvalId, { decision: "allow-always", scope: "exact@session" }, ALICE);
  assert.equal((await outcome).kind, "exited");
});

test("a command with a secret in it can only be allowed once", async (t) => {
  const { hub, app } = await withWorkspace(t);
  const secret = `sk-ant-${"a1B2".repeat(8)}`;
  const outcome = hub.propose(`echo ${secret} > made`, { cwd: app, session: SESSION });
  const { approvalId } = await hub.asked();
  assert.deepEqual(
    (await hub.hub.approvals.scopes(approvalId)).map(({ scope }) => scope),
    ["effects@session"],
  );
  const given = { decision: "allow-always", scope: "exact@session" };
  await assert.rejects(hub.hub.answer(approvalId, given, ALICE), { code: "INVALID_PARAMS" });
  await hub.hub.answer(approvalId, { decision: "allow-always" }, ALICE);
  await outcome;
  assert.doesNotMatch(
    JSON.stringify([await hub.store.grants(), await hub.store.setting("profile.default.accepted")]),
    /a1B2/,
  );
});

test("what was allowed for a while is on record, counted, listed, and can be taken back", async (t) => {
  const { hub, propose, asks } = await withWorkspace(t);
  await answer(hub, "touch a", "exact@session");
  const [grant] = hub.hub.grants.list();
  assert(grant);
  assert.deepEqual([grant.sessionId, grant.body.by, grant.body.why], [SESSION, "alice", "it is fine"]);
  for (let count = 0; count < 3; count += 1) await propose("touch a");
  const uses = await hub.store.entryUses("default");
  assert.deepEqual(
    uses.map(({ entryId, hits }) => [entryId, hits]),
    [[grant.id, 3]],
  );
  const ledger = await hub.store.ledger({ afterSeq: 0, limit: 1000 });
  const changed = ledger.filter((entry) => entry.type === "policy-changed").at(-1);
  assert.deepEqual(changed?.body, {
    profile: "default",
    by: "alice",
    added: [`exactly sha256:${sha256Hex("touch a")}`],
    scope: "exact@session",
    grants: [grant.id],
  });
  const decided = ledger.filter((entry) => entry.type === "decided");
  assert.deepEqual(
    decided.map(({ body }) => [body.by, body.scope, body.entries]),
    [["person", "exact@session", []], ...Array(3).fill(["entry", undefined, [grant.id]])],
  );
  await assert.rejects(hub.hub.grants.revoke("none", ALICE), { code: "NOT_FOUND" });
  await hub.hub.grants.revoke(grant.id, ALICE);
  assert.equal(await asks("touch a"), true);
  await hub.restart();
  assert.equal(await asks("touch a"), true);
});

test("what is taken back after the decision and before the start doesn't start", async (t) => {
  const { hub, app } = await withWorkspace(t);
  const command = "touch a\ntouch b";
  await answer(hub, command, "exact@session");
  const [grant] = hub.hub.grants.list();
  assert(grant);
  // Called when the decision is durable, before anything has followed from it.
  let revoked: Promise<void> | undefined;
  hub.store.onAppend(() => {
    revoked ??= hub.hub.grants.revoke(grant.id, ALICE);
  });
  const { kind, by, reason } = await hub.propose(command, { cwd: app, session: SESSION });
  await revoked;
  assert.deepEqual([kind, by], ["not-started", "policy"]);
  assert.match(reason ?? "", /no longer allows it/);
});

test("more than a session may hold is refused, and so is a full profile", async (t) => {
  const hub = await openHub(t, { limits: { grantsPerSession: 1 } });
  const ask = async (command: string) => {
    const outcome = hub.propose(command, { session: SESSION });
    const { approvalId } = await hub.asked();
    return { outcome, approvalId };
  };
  const scoped = { decision: "allow-always", scope: "exact@session" };
  const first = await ask("touch a");
  await hub.hub.answer(first.approvalId, scoped, ALICE);
  await first.outcome;
  const second = await ask("touch b");
  await assert.rejects(hub.hub.answer(second.approvalId, scoped, ALICE), { code: "LIMIT" });
  await hub.hub.answer(second.approvalId, { decision: "allow-once" }, ALICE);
  await second.outcome;
});

test("where only a device's word counts, a token allows this once and saves nothing", async (t) => {
  const hub = await openHub(t, { profile: { assurance: "device" } });
  const outcome = hub.propose("touch a", { session: SESSION });
  const { approvalId } = await hub.asked();
  const scoped = { decision: "allow-always", scope: "exact@session" };
  await assert.rejects(hub.hub.answer(approvalId, scoped, ALICE), { code: "UNAUTHORIZED" });
  const { saved, note } = await hub.hub.answer(approvalId, { decision: "allow-always" }, ALICE);
  assert.deepEqual(saved, []);
  assert.match(note ?? "", /^Allowed this once\. .*device's signature/);
  assert.equal((await outcome).kind, "exited");
});

test("an edit of the policy can't be accepted with a scope", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ security: "full" });
  await hub.propose("ls");
  const { approvalId } = await hub.asked();
  const given = { decision: "allow-always", scope: "exact@session" };
  await assert.rejects(hub.hub.answer(approvalId, given, ALICE), { code: "INVALID_PARAMS" });
  assert.deepEqual(await hub.hub.approvals.scopes(approvalId), []);
});

test("a repository is the one that was there when it was asked, whatever becomes of it until the answer", async (t) => {
  const { hub, app, asks } = await withWorkspace(t);
  const outcome = hub.propose("touch a", { cwd: app, session: SESSION });
  const { approvalId } = await hub.asked();
  renameSync(join(hub.workspace, "repo", ".git"), join(hub.workspace, ".git"));
  await hub.hub.answer(approvalId, { decision: "allow-always", scope: "exact@repository" }, ALICE);
  await outcome;
  assert.equal(await asks("touch a", app, "another"), false);
  assert.equal(await asks("touch a", hub.workspace), true);
});
