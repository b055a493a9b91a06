import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { checkLedger } from "@countersign/store";
import { wholeReceipts } from "../../../store/test/suite/samples.ts";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

async function ledgerTypes({ store }: TestHub): Promise<string[]> {
  return (await store.ledger({ afterSeq: 0, limit: 1000 })).flatMap((entry) => (entry.proposalKey ? [entry.type] : []));
}

test("a safe command runs unasked, with its decision, start and end on record in that order", async (t) => {
  const hub = await openHub(t);
  writeFileSync(join(hub.workspace, "notes.txt"), "hello\n");
  const { receipt, ...outcome } = await hub.propose("cat notes.txt");
  assert.deepEqual(outcome, { kind: "exited", exitCode: 0, stdout: "hello\n", stderr: "", by: "policy" });
  assert.deepEqual(await ledgerTypes(hub), ["decided", "started", "ended"]);
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 1000 });
  assert.equal(receipt, entries.at(-1)?.hash);
  const check = await checkLedger(wholeReceipts(hub.store));
  assert.equal(check.whole, true);
});

test("a command that needs review runs only after a person allows it", async (t) => {
  const hub = await openHub(t);
  const marker = join(hub.workspace, "made");
  const outcome = hub.propose("touch made");
  const approval = await hub.asked();
  assert.equal(existsSync(marker), false);
  assert.equal(approval.command, "touch made");
  assert.deepEqual(await hub.hub.answer(approval.approvalId, { decision: "allow-once" }, ALICE), { ok: true });
  assert.equal((await outcome).kind, "exited");
  assert.equal((await outcome).by, "person");
  assert.equal(existsSync(marker), true);
});

test("a denied command never runs, and the outcome says who denied it and why", async (t) => {
  const hub = await openHub(t);
  const outcome = hub.propose("touch made");
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "deny", reason: "too dangerous" }, ALICE);
  const { receipt, ...denied } = await outcome;
  assert.match(receipt ?? "", /^sha256:/);
  assert.deepEqual(denied, { kind: "denied", by: "person", reason: "Denied by alice: too dangerous", approvalId });
  assert.equal(existsSync(join(hub.workspace, "made")), false);
  assert.deepEqual(await ledgerTypes(hub), ["decided", "ended"]);
});

test("the approval has seed 001's fields, literally for its example", async (t) => {
  const hub = await openHub(t);
  void hub.propose("rm -rf /tmp/test-data", { session: "019444a0-5678-7def-8000-123456abcdef", reason: "clean up" });
  const { approvalId, expiresAtMs, effects, proposalHash, ...rest } = await hub.asked();
  assert.match(approvalId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  assert.equal(expiresAtMs, hub.clock.wallMs() + 60_000);
  assert.match(proposalHash, /^sha256:[0-9a-f]{64}$/);
  assert.ok(effects.every((effect) => effect.kind === "deletes" && effect.risk === "dangerous"));
  assert.deepEqual(rest, {
    agentId: "019444a0-5678-7def-8000-123456abcdef",
    agentName: "local",
    command: "rm -rf /tmp/test-data",
    cwd: hub.workspace,
    riskLevel: "dangerous",
    riskReasons: ["Matches dangerous pattern: rm with -r or -f flags", "Uses recursive/force deletion flags"],
    subject: "exec",
    jail: "none",
    enforcement: "none",
    env: {},
    reason: "clean up",
  });
});

test("allow-always saves an entry with a ceiling, which covers the same and not more", async (t) => {
  const hub = await openHub(t);
  for (const dir of ["build", "src"]) mkdirSync(join(hub.workspace, dir));
  const first = hub.propose("rm -rf build");
  const { approvalId } = await hub.asked();
  const answer = await hub.hub.answer(approvalId, { decision: "allow-always" }, ALICE);
  assert.deepEqual(answer, { ok: true, saved: ["rm **"] });
  assert.equal((await first).kind, "exited");
  assert.equal((await hub.propose("rm -rf build")).by, "entry");
  const other = hub.propose("rm -rf src");
  assert.equal((await hub.asked()).command, "rm -rf src");
  assert.equal(existsSync(join(hub.workspace, "src")), true);
  const left = assert.rejects(other, /stays open/);
  await hub.hub.close();
  await left;
});

test("secrets are redacted on the card, in the outcome, in the store and in the audit; what runs is unchanged", async (t) => {
  const secret = `sk-ant-${"a1B2".repeat(8)}`;
  const hub = await openHub(t);
  const outcome = hub.propose(`printf %s ${secret} > out && cat out`);
  const approval = await hub.asked();
  assert.equal(approval.command, "printf %s [REDACTED: 39 characters] > out && cat out");
  await hub.hub.answer(approval.approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await outcome).stdout, "[REDACTED]");
  assert.equal(readFileSync(join(hub.workspace, "out"), "utf8"), secret);
  await hub.hub.close();
  assert.doesNotMatch(readFileSync(hub.home.audit, "utf8"), /a1B2/);
  const stored = await hub.store.openProposals();
  assert.deepEqual(stored, []);
  const entries = await hub.store.ledger({ afterSeq: 0, limit: 1000 });
  assert.doesNotMatch(JSON.stringify(entries), /a1B2/);
});

test("an external executor gets a permit as the answer, reports once, and only its owner may", async (t) => {
  const hub = await openHub(t);
  const params = { command: "ls", cwd: hub.workspace };
  const passed = await hub.hub.proposals.proposeExternal(params, LOCAL_AGENT, "advisory");
  assert.ok("permit" in passed);
  const { permit } = passed;
  assert.equal(permit.kind, "external");
  assert.deepEqual(await ledgerTypes(hub), ["decided", "started"]);
  const report = { kind: "exited", exitCode: 0 } as const;
  await assert.rejects(hub.hub.report(permit.id, report, ALICE), { code: "NOT_FOUND" });
  await assert.rejects(hub.hub.report(permit.id, { kind: "denied" }, LOCAL_AGENT), { code: "INVALID_PARAMS" });
  assert.equal((await hub.hub.report(permit.id, report, LOCAL_AGENT)).kind, "exited");
  await assert.rejects(hub.hub.report(permit.id, report, LOCAL_AGENT), { code: "NOT_FOUND" });
  const [decided, , ended] = await hub.store.ledgerOf(permit.assessment.proposal.key);
  assert.equal(decided?.body.enforcement, "advisory");
  assert.equal(ended?.body.reportedBy, "executor");
});

test("an external executor that never reports is recorded as interrupted", async (t) => {
  const hub = await openHub(t);
  const passed = await hub.hub.proposals.proposeExternal({ command: "ls", cwd: hub.workspace }, LOCAL_AGENT, "none");
  assert.ok("permit" in passed);
  hub.clock.advance(120_000 + 60_000);
  const { key } = passed.permit.assessment.proposal;
  await hub.store.commit([]);
  assert.equal((await hub.store.proposal(key))?.outcome?.kind, "interrupted");
});

test("paused: new proposals are denied, waiting ones can't be allowed but can be denied, and it survives a restart", async (t) => {
  const hub = await openHub(t);
  const waiting = hub.propose("touch made");
  const { approvalId } = await hub.asked();
  await hub.hub.pause(ALICE);
  const refused = await hub.propose("ls");
  assert.equal(refused.kind, "denied");
  assert.equal(refused.by, "paused");
  await assert.rejects(hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE), { code: "UNAUTHORIZED" });
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  assert.equal((await waiting).by, "person");
  await hub.restart();
  assert.equal((await hub.hub.state()).paused?.by, "alice");
  await hub.hub.resume(ALICE);
  assert.equal((await hub.propose("ls")).kind, "exited");
});

test("pausing leaves what runs alone, unless it is told to end it; what waits goes on waiting", async (t) => {
  const hub = await openHub(t, { profile: { ask: "always" } });
  const allow = async () => await hub.hub.answer((await hub.asked()).approvalId, { decision: "allow-once" }, ALICE);
  const isUp = async (proposalId: string) => {
    const output = await hub.hub.proposals.output(proposalId, LOCAL_AGENT);
    while (output.toText("stdout") === "") await new Promise((resolve) => setImmediate(resolve));
  };
  const running = hub.propose("echo up; while [ ! -e go ]; do sleep 0.02; done; echo went on", { proposalId: "p1" });
  await allow();
  await isUp("p1");
  assert.deepEqual(await hub.hub.pause(ALICE), { ended: 0 });
  writeFileSync(join(hub.workspace, "go"), "");
  assert.equal((await running).stdout, "up\nwent on\n");
  await hub.hub.resume(ALICE);

  const ended = hub.propose("echo up; while :; do sleep 0.02; done", { proposalId: "p2" });
  await allow();
  await isUp("p2");
  const waiting = hub.propose("echo later");
  const { approvalId } = await hub.asked();
  assert.deepEqual(await hub.hub.pause(ALICE, { kill: true }), { ended: 1 });
  const { kind, reason, stdout } = await ended;
  assert.deepEqual([kind, reason, stdout], ["aborted", "Ended by alice, who paused everything", "up\n"]);
  assert.deepEqual(await hub.hub.pause(ALICE, { kill: true }), { ended: 0 });
  await hub.hub.resume(ALICE);
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  assert.equal((await waiting).stdout, "later\n");
});

test("a cwd outside the roots asks; one that is missing or a file is refused", async (t) => {
  const hub = await openHub(t, { config: { agents: { local: { workspace: "/usr/share" } } } });
  const outcome = hub.propose("ls");
  const approval = await hub.asked();
  assert.equal(approval.riskLevel, "needs-review");
  await hub.hub.answer(approval.approvalId, { decision: "deny" }, ALICE);
  assert.equal((await outcome).kind, "denied");
  await assert.rejects(hub.propose("ls", { cwd: join(hub.workspace, "missing") }), { code: "INVALID_PARAMS" });
  writeFileSync(join(hub.workspace, "file"), "");
  await assert.rejects(hub.propose("ls", { cwd: join(hub.workspace, "file") }), { code: "INVALID_PARAMS" });
});

test("unattended agents never wait for a person", async (t) => {
  const hub = await openHub(t, { config: { agents: { local: { unattended: true } } } });
  const outcome = await hub.propose("touch made");
  assert.equal(outcome.kind, "denied");
  assert.equal(outcome.by, "policy");
  assert.equal((await hub.propose("ls")).kind, "exited");
});

test("variables that could run code or carry secrets are refused in env", async (t) => {
  const hub = await openHub(t);
  for (const name of [
    "LD_PRELOAD",
    "PATH",
    "BASH_ENV",
    "GIT_SSH_COMMAND",
    "AWS_PROFILE",
    "COUNTERSIGN_HOME",
    "MY_API_KEY",
  ]) {
    await assert.rejects(hub.propose("ls", { env: { [name]: "x" } }), { code: "INVALID_PARAMS" }, name);
  }
});

test("a session belongs to whoever made it", async (t) => {
  const hub = await openHub(t);
  await hub.propose("ls", { session: "mine" });
  await assert.rejects(hub.hub.proposals.propose({ command: "ls", session: "mine" }, ALICE), { code: "UNAUTHORIZED" });
});

test("pausing or withdrawing after the decision, while the start is prepared, starts nothing", async (t) => {
  const hub = await openHub(t);
  const stops = {
    paused: () => hub.hub.pause(ALICE),
    cancelled: () => hub.hub.proposals.cancel(LOCAL_AGENT, "p-cancelled"),
  };
  for (const [by, stop] of Object.entries(stops)) {
    // Several lines: bash -n stands between the decision and the start, and the disk once more.
    const outcome = hub.propose("touch made\ntouch more", { proposalId: `p-${by}` });
    const { approvalId } = await hub.asked();
    const answering = hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
    while ((await hub.store.proposalOf("local", `p-${by}`))?.state === "pending")
      await new Promise((resolve) => setImmediate(resolve));
    await stop();
    await answering;
    assert.deepEqual([(await outcome).kind, (await outcome).by], ["not-started", by]);
    assert.equal(existsSync(join(hub.workspace, "made")), false);
    await hub.hub.resume(ALICE);
  }
});

test("no secret is left in the whole stored row, whatever way it came", async (t) => {
  const secret = `sk-ant-${"s3Cr".repeat(8)}`;
  const hub = await openHub(t);
  const key = async (proposalId: string) => JSON.stringify(await hub.store.proposalOf("local", proposalId));
  const asked = hub.propose(`touch ${secret}`, {
    proposalId: "asked",
    reason: `uses ${secret}`,
    env: { NOTE: secret },
  });
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "deny", reason: `not ${secret}` }, ALICE);
  await asked;
  await hub.propose(`echo ${secret}`, { proposalId: "run", reason: secret });
  hub.writeProfile({ security: "deny" });
  await hub.propose(`echo ${secret}`, { proposalId: "denied", reason: secret });
  for (const proposalId of ["asked", "run", "denied"]) assert.doesNotMatch(await key(proposalId), /s3Cr/, proposalId);
  assert.doesNotMatch(JSON.stringify(await hub.store.approval(approvalId)), /s3Cr/);
});

test("a local agent can't make everything its workspace by standing high enough", async (t) => {
  const hub = await openHub(t);
  for (const cwd of ["/", "/etc", "/usr/share"]) {
    const outcome = hub.propose("cat /etc/hostname", { cwd });
    const { approvalId } = await hub.asked();
    await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
    assert.equal((await outcome).by, "person", cwd);
  }
});
