import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filterSecrets } from "@countersign/core/redaction";
import type { AuditEvent } from "@countersign/store";
import { ALICE, openHub } from "../../../test/support/open-hub.ts";
import { ASSISTANT, CONFIG, openTools } from "../../../test/support/open-tools.ts";
import { ToolRegistry } from "../facade/tool-registry.ts";
import { ApprovalManager, type ApprovalRequest, DeniedError } from "./approval-manager.ts";
import { AuditLogger } from "./audit-logger.ts";
import { BashTool } from "./bash-tool.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

/** Seed 003's agent loop around its names, as it writes them; only the ApprovalManager is told which hub it shows. */
test("the seed's loop: ask, approve, run, filter, log", async (t) => {
  const { hub, home, workspace } = await openHub(t, { profile: { safeIsMiss: true } });
  const approvalManager = new ApprovalManager({ hub, agent: ASSISTANT, approver: ALICE });
  const toolRegistry = new ToolRegistry();
  toolRegistry.register(new BashTool(approvalManager, CONFIG));
  const logPath = join(workspace, "app-audit.jsonl");
  const auditLogger = new AuditLogger(logPath, true);
  const sent: [string, Record<string, unknown>][] = [];

  // The client approves what it is sent, as `exec.approve` does.
  const sendEvent = (event: string, data: unknown) => {
    sent.push([event, data as Record<string, unknown>]);
    assert.equal(approvalManager.resolve((data as { approvalId: string }).approvalId), true);
  };
  const context: ToolContext = { sessionKey: randomUUID(), runId: randomUUID(), sendEvent, config: CONFIG };
  const toolCall = { name: "bash", input: { command: "echo ANTHROPIC_API_KEY=sk-ant-fake123; exit 3" } };
  const tool: Tool | undefined = toolRegistry.get(toolCall.name);
  assert.ok(tool?.inputSchema.safeParse(toolCall.input).success);
  const result: ToolResult = await tool.execute(toolCall.input, context);
  const output = filterSecrets(result.output);
  const event: AuditEvent = {
    ts: Date.now(),
    type: "tool_exec",
    sessionKey: context.sessionKey,
    details: { command: toolCall.input.command, exitCode: result.exitCode },
  };
  await auditLogger.append(event);

  assert.deepEqual({ ...result, output }, { output: "ANTHROPIC_API_KEY=[REDACTED]\n", exitCode: 3 });
  const [[name, data] = []] = sent;
  assert.equal(sent.length, 1);
  assert.equal(name, "exec.approval_request");
  assert.equal(data?.command, "echo ANTHROPIC_API_KEY=[REDACTED: 14 characters]; exit 3");
  assert.equal(data?.workingDir, workspace);
  assert.match(JSON.parse(readFileSync(logPath, "utf8")).details.command, /^echo ANTHROPIC_API_KEY=\[REDACTED/);
  assert.doesNotMatch(readFileSync(logPath, "utf8"), /fake123/);
  const [own] = await hub.auditTail(1);
  assert.equal(own?.type, "tool_exec");
  assert.equal(own?.sessionKey, context.sessionKey);
  assert.doesNotMatch(readFileSync(home.audit, "utf8"), /fake123/);
});

test("execute returns seed 003's text for a denial", async (t) => {
  const test = await openTools(t);
  const table: [string | undefined, string][] = [
    ["too dangerous", "Command denied by user.: too dangerous"],
    [undefined, "Command denied by user."],
  ];
  for (const [reason, output] of table) {
    const input = { command: `touch x${reason?.length ?? 0}` };
    const result = test.execute("bash", input);
    const { approvalId } = await test.asked();
    assert.equal(test.approvals.hasPending(approvalId), true);
    assert.equal(test.approvals.reject(approvalId, reason), true);
    assert.equal(test.approvals.hasPending(approvalId), false);
    assert.equal(test.approvals.resolve(approvalId), false);
    assert.deepEqual(await result, { output, exitCode: 1 });
    // The same again isn't asked about again.
    const repeated = await test.run("bash", input);
    assert.equal(repeated.kind, "denied");
    assert.equal(repeated.exitCode, undefined);
    assert.match((await test.execute("bash", input)).output, /^Command denied by user\.: Denied by alice/);
  }
  assert.deepEqual(
    (await test.hub.auditTail(10)).map(({ type }) => type).filter((type) => type.startsWith("tool")),
    Array.from({ length: 6 }, () => "tool_denied"),
  );
});

test("a denial by policy names no user", async (t) => {
  const test = await openTools(t, { profile: { security: "allowlist", ask: "off" } });
  const result = await test.execute("bash", { command: "touch x" });
  assert.match(result.output, /^Command denied: /);
  assert.equal(result.exitCode, 1);
  assert.deepEqual(test.events, []);
});

test("execute says that an approval has expired", async (t) => {
  const test = await openTools(t);
  const result = test.execute("bash", { command: "touch x" });
  await test.asked();
  test.clock.advance(60_000);
  assert.deepEqual(await result, { output: "Command expired: Nobody answered in time", exitCode: 1 });
});

test("execute returns one capped text with an exit code for every end", async (t) => {
  const test = await openTools(t, { profile: { security: "full", ask: "off" } });
  const table: [string, ToolResult][] = [
    ["printf out; echo err >&2", { output: "out\nerr\n", exitCode: 0 }],
    ["echo a; kill -KILL $$", { output: "a\n[signalled by SIGKILL]", exitCode: 137 }],
  ];
  for (const [command, expected] of table) assert.deepEqual(await test.execute("bash", { command }), expected, command);
  const long = await test.execute("bash", { command: "seq 1 100000; seq 1 100000 >&2" });
  assert.equal(long.truncated, true);
  assert.ok(Buffer.byteLength(long.output) < CONFIG.tools.maxOutputBytes + 100);
});

test("aborting withdraws pending and unasked approvals", async (t) => {
  const test = await openTools(t);
  const abort = new AbortController();
  const context = { ...test.context, signal: abort.signal };
  const waiting = test.tool("bash").run({ command: "touch x" }, context);
  const { approvalId } = await test.asked();
  abort.abort();
  assert.equal((await waiting).kind, "cancelled");
  assert.equal(test.approvals.hasPending(approvalId), false);
  assert.equal((await test.tool("bash").run({ command: "touch x" }, context)).kind, "cancelled");
});

test("a failing sendEvent leaves the approval open", async (t) => {
  const test = await openTools(t);
  const sendEvent = () => {
    throw new Error("gone");
  };
  const result = test.tool("bash").execute({ command: "touch x" }, { ...test.context, sendEvent });
  await test.answer({ decision: "allow-once" });
  assert.equal((await result).exitCode, 0);
});

test("BashTool refuses invalid input and directories outside of the workspace", async (t) => {
  const test = await openTools(t);
  mkdirSync(join(test.workspace, "sub"));
  symlinkSync("/etc", join(test.workspace, "out"));
  const table: [unknown, string][] = [
    [undefined, "INVALID_INPUT"],
    [{}, "INVALID_INPUT"],
    [{ command: "" }, "INVALID_INPUT"],
    [{ command: 1 }, "INVALID_INPUT"],
    [{ command: "ls", background: true }, "INVALID_INPUT"],
    [{ command: "ls", workingDir: "../../../etc" }, "OUTSIDE_WORKSPACE"],
    [{ command: "ls", workingDir: "/etc" }, "OUTSIDE_WORKSPACE"],
    [{ command: "ls", workingDir: "out" }, "OUTSIDE_WORKSPACE"],
    [{ command: "ls", workingDir: "nowhere" }, "NOT_FOUND"],
    [{ command: "ls", workingDir: "a\0b" }, "INVALID_INPUT"],
  ];
  for (const [input, code] of table) await assert.rejects(test.execute("bash", input), { code }, JSON.stringify(input));
  const inside = await test.execute("bash", { command: "pwd", workingDir: "sub" });
  assert.equal(inside.output, `${test.workspace}/sub\n`);
});

test("request() resolves when allowed and rejects when denied", async (t) => {
  const test = await openTools(t);
  const ask = (command: string): ApprovalRequest => ({
    approvalId: randomUUID(),
    command,
    workingDir: test.workspace,
    sessionKey: "s1",
  });
  const allowed = ask("touch x");
  const resolved = test.approvals.request(allowed);
  assert.equal((await test.asked()).approvalId, allowed.approvalId);
  assert.equal((await test.asked()).enforcement, "none");
  await assert.rejects(test.approvals.request(allowed), { code: "INVALID_INPUT" });
  assert.equal(test.approvals.resolve(allowed.approvalId), true);
  assert.equal(await resolved, undefined);

  for (const reason of ["no", undefined]) {
    const denied = ask(`rm -rf ${reason ?? "x"}`);
    const rejected = test.approvals.request(denied);
    await test.asked();
    test.approvals.reject(denied.approvalId, reason);
    await assert.rejects(rejected, (cause) => cause instanceof DeniedError && cause.message === (reason ?? ""));
  }
  // Nothing to ask about.
  await test.approvals.request(ask("pwd"));
  await assert.rejects(test.approvals.request({ ...ask("pwd"), approvalId: "1" }), { code: "INVALID_INPUT" });
});

test("resolve() ignores unknown ids and needs an approver", async (t) => {
  const test = await openTools(t);
  const result = test.execute("bash", { command: "touch x" });
  const { approvalId } = await test.asked();
  for (const id of [randomUUID(), "", "1", "__proto__", `${approvalId} `, approvalId.slice(1)]) {
    assert.equal(test.approvals.resolve(id), false, id);
    assert.equal(test.approvals.reject(id), false, id);
    assert.equal(test.approvals.hasPending(id), false, id);
  }
  const nobody = new ApprovalManager({ hub: test.hub, agent: ASSISTANT });
  assert.equal(nobody.hasPending(approvalId), true);
  assert.throws(() => nobody.resolve(approvalId), { code: "WRONG_ROLE" });
  assert.throws(() => new ApprovalManager({ hub: test.hub, agent: ASSISTANT, approver: ASSISTANT }), {
    code: "WRONG_ROLE",
  });
  assert.equal(test.hub.approvals.isWaiting(approvalId), true);
  assert.equal(test.approvals.reject(approvalId, `${"x".repeat(1_023)}\u{1f642}${"x".repeat(5_000)}`), true);
  assert.equal((await result).exitCode, 1);
});

test("an approval stays open after a refused answer", async (t) => {
  const test = await openTools(t);
  const result = test.execute("bash", { command: "touch x" });
  const { approvalId } = await test.asked();
  await test.hub.pause(ALICE);
  assert.equal(test.approvals.resolve(approvalId), true);
  while (!test.approvals.hasPending(approvalId)) await new Promise((resolve) => setImmediate(resolve));
  await test.hub.resume(ALICE);
  assert.equal(test.approvals.resolve(approvalId), true);
  assert.equal((await result).exitCode, 0);
});

test("tools need a hub and an approval", async (t) => {
  const test = await openTools(t);
  const forged = { request: async () => undefined, resolve: () => true, reject: () => true, hasPending: () => true };
  const tool = new BashTool(forged as unknown as ApprovalManager, CONFIG);
  await assert.rejects(tool.execute({ command: "touch x" }, test.context), TypeError);
  // One whose methods are replaced still asks the hub.
  const lying = Object.assign(new ApprovalManager({ hub: test.hub, agent: ASSISTANT }), forged);
  const result = new BashTool(lying, CONFIG).execute({ command: "touch x" }, test.context);
  await test.answer({ decision: "deny" });
  assert.deepEqual(await result, { output: "Command denied by user.", exitCode: 1 });
});
