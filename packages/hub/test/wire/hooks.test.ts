import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { type Identity, localAgent, systemClock } from "@countersign/core/base";
import { answerHook } from "../../src/api/hooks/answer-hook.ts";
import type { HookAgent } from "../../src/api/hooks/calls/hook-call.ts";
import { type Serving, scratch, startServing } from "../support/serve-fixture.ts";

/** One hub for all: each test has sessions of its own. */
let s: Serving;
const ends: (() => unknown)[] = [];
const GATED = Object.fromEntries(
  ["claude-code", "codex", "gemini", "cursor", "opencode"].map((name) => [name, { mode: "gate" }]),
);

before(async () => {
  const context = { after: (end: () => unknown) => ends.unshift(end) } as never;
  const at = scratch(context);
  mkdirSync(at.homeDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(at.homeDir, "config.json"), JSON.stringify({ agents: GATED }));
  // Of no effect: Cursor can't be told to ask.
  mkdirSync(join(at.homeDir, "profiles", "cursor"), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(at.homeDir, "profiles", "cursor", "config.json"),
    JSON.stringify({ execApproval: { handBack: "always" } }),
  );
  s = await startServing(context, { at });
});
after(async () => {
  for (const end of ends) await end();
});

let calls = 0;

interface Asking {
  readonly identity?: Identity;
  readonly gone?: AbortSignal;
  readonly deadlineMs?: number;
}

async function ask(agent: HookAgent, event: object, asking: Asking = {}) {
  const { identity = localAgent(agent), gone = new AbortController().signal, deadlineMs = 60_000 } = asking;
  const question = { agent, event: event as Record<string, unknown>, identity, deadlineMs, gone };
  const { stdout, ...rest } = await answerHook(question, s.served.hub, systemClock);
  return { ...rest, answer: stdout === "" ? undefined : JSON.parse(stdout) };
}

function named(): { session_id: string; cwd: string; tool_use_id: string } {
  calls += 1;
  return { session_id: `session-${calls}`, cwd: s.workspace, tool_use_id: `call-${calls}` };
}

const claude = (tool_name: string, tool_input: object, more: object = {}) => ({
  ...named(),
  hook_event_name: "PreToolUse",
  tool_name,
  tool_input,
  ...more,
});
const bash = (command: string, more: object = {}) => claude("Bash", { command }, more);

function gemini(tool_name: string, tool_input: object, more: object = {}) {
  const { tool_use_id: _, ...rest } = named();
  return { ...rest, hook_event_name: "BeforeTool", timestamp: "2026-01-01T00:00:00Z", tool_name, tool_input, ...more };
}

function cursor(hook_event_name: string, more: object) {
  calls += 1;
  return {
    conversation_id: `conversation-${calls}`,
    generation_id: "g",
    workspace_roots: [s.workspace],
    hook_event_name,
    ...more,
  };
}

async function decide(decision: string, more: object = {}) {
  const card = await s.asked();
  await s.decide(card.approvalId, decision, more);
  return card;
}

/** What is on record of it. */
async function outcomeOf(agent: string, { session_id, tool_use_id }: { session_id: string; tool_use_id: string }) {
  const status = await s.served.hub.proposals.status(localAgent(agent), `${session_id}/${tool_use_id}`);
  return status as { state: string; outcome?: Record<string, unknown> };
}

const pre = (permissionDecision: string, more: object = {}) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more },
});

test("what is safe is allowed in each agent's own form", async () => {
  assert.deepEqual((await ask("claude-code", bash("ls"))).answer, pre("allow"));
  // A bare "allow" would mark Codex' hook as failed.
  assert.deepEqual(await ask("codex", bash("ls")), { answer: undefined, exitCode: 0 });
  assert.deepEqual((await ask("gemini", gemini("run_shell_command", { command: "ls" }))).answer, { decision: "allow" });
  assert.deepEqual((await ask("cursor", cursor("beforeShellExecution", { command: "ls", cwd: "" }))).answer, {
    permission: "allow",
  });
});

test("a person's denial is told in each agent's form, with the words that agents are told", async () => {
  const words = /^Denied by .+: Not now\. Do not reach the same effect another way; propose something else or ask\.$/;
  const denied = async (agent: HookAgent, event: object) => {
    const asking = ask(agent, event);
    await decide("deny", { reason: "Not now" });
    return (await asking).answer;
  };
  for (const agent of ["claude-code", "codex"] as const) {
    const { hookSpecificOutput } = await denied(agent, bash(`rm -rf ${agent}`));
    const { permissionDecisionReason, ...rest } = hookSpecificOutput;
    assert.deepEqual(rest, { hookEventName: "PreToolUse", permissionDecision: "deny" });
    assert.match(permissionDecisionReason, words);
    const { hookSpecificOutput: request } = await denied(agent, {
      ...bash(`rm -r ${agent}`),
      hook_event_name: "PermissionRequest",
    });
    const { message, ...decision } = request.decision;
    assert.deepEqual(decision, { behavior: "deny" });
    assert.match(message, words);
  }
  const { reason, ...rest } = await denied("gemini", gemini("run_shell_command", { command: "rm -rf gemini" }));
  assert.deepEqual(rest, { decision: "deny" });
  assert.match(reason, words);
  const told = await denied("cursor", cursor("beforeShellExecution", { command: "rm -rf cursor", cwd: s.workspace }));
  assert.equal(told.permission, "deny");
  assert.match(told.user_message, words);
  assert.equal(told.agent_message, told.user_message);
});

test("nobody answers: it is denied before the hook's deadline, and said so", async () => {
  const { answer } = await ask("claude-code", bash("rm -rf nobody"), { deadlineMs: 2_100 });
  assert.equal(answer.hookSpecificOutput.permissionDecision, "deny");
  assert.match(answer.hookSpecificOutput.permissionDecisionReason, /reached nobody who could answer|Nobody answered/);
});

test("an agent that goes away withdraws its question, and nothing follows from a later answer", async () => {
  const away = new AbortController();
  const event = bash("rm -rf away");
  const asking = ask("claude-code", event, { gone: away.signal });
  const card = await s.asked();
  away.abort();
  await asking;
  assert.equal((await s.decide(card.approvalId, "allow-once")).status, 404);
  assert.equal((await outcomeOf("claude-code", event)).outcome?.kind, "cancelled");
});

test("how it ended is on the record of the proposal that it was", async () => {
  const event = bash("ls -a");
  await ask("claude-code", event);
  assert.equal((await outcomeOf("claude-code", event)).state, "started");
  const tool_response = { stdout: "AKIAIOSFODNN7EXAMPLE\n", stderr: "", interrupted: false };
  assert.deepEqual(await ask("claude-code", { ...event, hook_event_name: "PostToolUse", tool_response }), {
    answer: undefined,
    exitCode: 0,
  });
  const { state, outcome } = await outcomeOf("claude-code", event);
  assert.equal(state, "ended");
  assert.equal(outcome?.kind, "exited");
  assert.equal(outcome?.exitCode, 0);
  assert.doesNotMatch(String(outcome?.stdout), /AKIAIOSFODNN7EXAMPLE/);

  const endings: [object, object][] = [
    [
      { hook_event_name: "PostToolUseFailure", error: "Exit code 3\nno" },
      { kind: "exited", exitCode: 3 },
    ],
    [{ hook_event_name: "PostToolUseFailure", error: "", is_interrupt: true }, { kind: "aborted" }],
    [{ hook_event_name: "PostToolUse", tool_response: { interrupted: true } }, { kind: "aborted" }],
    [{ hook_event_name: "PermissionDenied", reason: "no" }, { kind: "not-started" }],
  ];
  for (const [told, expected] of endings) {
    const one = bash("ls -b");
    await ask("claude-code", one);
    await ask("claude-code", { ...one, ...told });
    const { kind, exitCode } = (await outcomeOf("claude-code", one)).outcome ?? {};
    assert.deepEqual({ kind, ...(exitCode === undefined ? {} : { exitCode }) }, expected);
  }
  const background = bash("ls -c");
  await ask("claude-code", background);
  await ask("claude-code", { ...background, hook_event_name: "PostToolUse", tool_response: { backgroundTaskId: "b" } });
  assert.equal((await outcomeOf("claude-code", background)).state, "started");

  const codexed = bash("ls -d .");
  await ask("codex", codexed);
  const told = "Chunk ID: 1\nProcess exited with code 2\nOutput:\n";
  await ask("codex", { ...codexed, hook_event_name: "PostToolUse", tool_response: told });
  assert.equal((await outcomeOf("codex", codexed)).outcome?.exitCode, 2);
});

test("without names for its calls, what is told afterwards is about the oldest of them", async () => {
  const identity = localAgent("gemini");
  const event = gemini("run_shell_command", { command: "ls -1" });
  const session = `gemini:${event.session_id}`;
  await ask("gemini", event);
  await ask("gemini", event);
  assert.equal(s.served.hub.permitsOut(identity, session).length, 2);
  const over = { ...event, hook_event_name: "AfterTool", tool_response: { llmContent: "Output: x\nExit Code: 7" } };
  await ask("gemini", { ...over, tool_input: { command: "ls -f" } });
  assert.equal(s.served.hub.permitsOut(identity, session).length, 2);
  await ask("gemini", over);
  await ask("gemini", over);
  await ask("gemini", over);
  assert.equal(s.served.hub.permitsOut(identity, session).length, 0);
});

test("what was denied can't be reported as run, and no other agent's can", async () => {
  const event = bash("rm -rf reported");
  const asking = ask("claude-code", event);
  await decide("deny");
  await asking;
  await ask("claude-code", { ...event, hook_event_name: "PostToolUse", tool_response: { stdout: "done" } });
  assert.equal((await outcomeOf("claude-code", event)).outcome?.kind, "denied");
  const allowed = bash("ls -g");
  await ask("claude-code", allowed);
  await ask("codex", { ...allowed, hook_event_name: "PostToolUse", tool_response: "Exit code: 1" });
  assert.equal((await outcomeOf("claude-code", allowed)).state, "started");
  const token = { id: "somebody", role: "agent", name: "claude-code", sameUser: false, unattended: false } as const;
  const { answer } = await ask("claude-code", { ...allowed, tool_use_id: "theirs" }, { identity: token });
  assert.match(answer.hookSpecificOutput.permissionDecisionReason, /session belongs to someone else/);
});

test("one use of a tool is one proposal: again it is the same answer, and with another command it is none", async () => {
  const event = bash("ls -h");
  assert.deepEqual((await ask("claude-code", event)).answer, pre("allow"));
  assert.deepEqual((await ask("claude-code", event)).answer, pre("allow"));
  const other = await ask("claude-code", { ...event, tool_input: { command: "ls -i" } });
  assert.equal(other.answer.hookSpecificOutput.permissionDecision, "deny");
  await ask("claude-code", { ...event, hook_event_name: "PostToolUse", tool_response: {} });
  const again = await ask("claude-code", event);
  assert.equal(again.answer.hookSpecificOutput.permissionDecision, "deny");
});

test("an id that comes again is no allowance for another file, another tool or another place", async () => {
  const event = claude("Write", { file_path: "again.txt", content: "one\n" });
  const asking = ask("claude-code", event);
  await decide("allow-once");
  assert.deepEqual((await asking).answer, pre("allow"));
  assert.deepEqual((await ask("claude-code", event)).answer, pre("allow"));
  const listed = bash("ls");
  assert.deepEqual((await ask("claude-code", listed)).answer, pre("allow"));
  for (const other of [
    { ...event, tool_input: { file_path: "again.txt", content: "two\n" } },
    { ...event, tool_input: { file_path: "other.txt", content: "one\n" } },
    { ...event, tool_name: "mcp__a__b" },
    { ...event, tool_name: "Read", tool_input: { file_path: "again.txt" } },
    { ...listed, cwd: "/" },
  ]) {
    const { answer } = await ask("claude-code", other);
    assert.equal(answer.hookSpecificOutput.permissionDecision, "deny", JSON.stringify(other));
    assert.match(answer.hookSpecificOutput.permissionDecisionReason, /was asked about before, for something else/);
  }
});

test("a command that is sent elsewhere doesn't take its agent's workspace along", async () => {
  const elsewhere = mkdtempSync(join(dirname(s.homeDir), "elsewhere-"));
  writeFileSync(join(elsewhere, "notes.txt"), "private");
  const event = { ...named(), hook_event_name: "tool.execute.before", tool_name: "bash", call_id: "elsewhere" };
  const asking = ask("opencode", { ...event, tool_input: { command: "cat notes.txt", workdir: elsewhere } });
  const card = await decide("deny");
  assert.equal(card.cwd, elsewhere);
  assert.equal((await asking).answer.decision, "deny");
});

test("what begins in the background keeps its permit until it comes for it; what is over doesn't", async () => {
  const identity = { ...localAgent("claude-code"), id: "local:runs", name: "runs" };
  const { hub } = s.served;
  const event = claude("Bash", { command: "ls", run_in_background: true });
  const { answer } = await ask("claude-code", event, { identity });
  assert.match(answer.hookSpecificOutput.updatedInput.command, /countersign-sh/);
  const over = { ...event, hook_event_name: "PostToolUse" };
  await ask("claude-code", { ...over, tool_response: { backgroundTaskId: "b1" } }, { identity });
  assert.equal(hub.permitsHeld(identity, undefined).length, 1);
  await ask("claude-code", { ...over, tool_response: { stdout: "" } }, { identity });
  assert.equal(hub.permitsHeld(identity, undefined).length, 0);
});

test("Cursor's workspace is where its window is, not where it sends a command", async () => {
  const elsewhere = mkdtempSync(join(dirname(s.homeDir), "elsewhere-"));
  writeFileSync(join(elsewhere, "notes.txt"), "private");
  const waiting = ask("cursor", cursor("beforeShellExecution", { command: "cat notes.txt", cwd: elsewhere }));
  assert.equal((await decide("deny")).cwd, elsewhere);
  assert.equal((await waiting).answer.permission, "deny");
});

test("an agent's own dialog is answered by what was decided before it came up", async () => {
  for (const agent of ["claude-code", "codex"] as const) {
    const event = bash(`mkdir ${agent}`);
    const asking = ask(agent, event);
    await decide("allow-once");
    await asking;
    const { tool_use_id: _, ...dialog } = { ...event, hook_event_name: "PermissionRequest" };
    const { answer } = await ask(agent, dialog);
    assert.deepEqual(answer, {
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
    });
  }
});

test("Cursor's edits are asked about and recorded, and a denial is what it is answered", async () => {
  writeFileSync(join(s.workspace, "cursor.txt"), "one\n");
  const edit = { path: join(s.workspace, "cursor.txt"), old_string: "one", new_string: "two" };
  const event = cursor("preToolUse", { tool_name: "StrReplace", tool_input: edit, tool_use_id: "edit-1" });
  const asking = ask("cursor", event);
  const card = await decide("allow-once");
  assert.match(card.diff, /-one\n\+two/);
  assert.deepEqual((await asking).answer, { permission: "allow" });
  await ask("cursor", { ...event, hook_event_name: "postToolUse", tool_output: '{"success":true}' });
  const session_id = (event as { conversation_id: string }).conversation_id;
  assert.equal((await outcomeOf("cursor", { session_id, tool_use_id: "edit-1" })).state, "ended");
  const removal = { tool_name: "Delete", tool_input: { file_path: join(s.workspace, "cursor.txt") } };
  const removing = ask("cursor", cursor("preToolUse", { ...removal, tool_use_id: "edit-2" }));
  assert.match((await decide("deny")).command, /cursor\.txt/);
  assert.equal((await removing).answer.permission, "deny");
});

test("what a profile hands back is asked here for an agent that can't be told to ask", async () => {
  const asking = ask("cursor", cursor("beforeShellExecution", { command: "mkdir handed", cwd: "" }));
  assert.equal((await decide("deny")).command, "mkdir handed");
  assert.equal((await asking).answer.permission, "deny");
});

test("files: what changes is on the card, and what a path really leads to is judged", async () => {
  writeFileSync(join(s.workspace, "notes.txt"), "one\ntwo\nthree\n");
  const edit = { file_path: join(s.workspace, "notes.txt"), old_string: "two", new_string: "TWO" };
  const asking = ask("claude-code", claude("Edit", edit));
  const card = await decide("allow-once");
  assert.deepEqual((await asking).answer, pre("allow"));
  assert.equal(card.diff, "\\ Write notes.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three");
  assert.match(card.command, /notes\.txt/);

  symlinkSync("/etc", join(s.workspace, "link"));
  // What is taken away is the link, out there.
  const link = join(dirname(s.homeDir), "outside-link");
  symlinkSync(join(s.workspace, "notes.txt"), link);
  const GONE = `*** Begin Patch\n*** Delete File: ${link}\n*** End Patch`;
  const cases: [HookAgent, object, RegExp][] = [
    ["claude-code", claude("Write", { file_path: "new/file.txt", content: "x\n" }), /mkdir -p -- .*new.*printf/s],
    ["claude-code", claude("Write", { file_path: "link/passwd", content: "x" }), /\/etc\/passwd/],
    [
      "claude-code",
      claude("MultiEdit", { file_path: "notes.txt", edits: [edit, { ...edit, old_string: "one" }] }),
      /notes/,
    ],
    ["claude-code", claude("NotebookEdit", { notebook_path: "a.ipynb", new_source: "x" }), /a\.ipynb/],
    ["gemini", gemini("write_file", { file_path: "~/.bashrc", content: "x" }), /\.bashrc/],
    ["gemini", gemini("replace", { file_path: "notes.txt", old_string: "three", new_string: "3" }), /notes/],
    ["codex", claude("apply_patch", { command: GONE }), /^rm -- '.*\/outside-link'$/],
    ["codex", claude("apply_patch", { command: PATCH }), /^rm -- 'notes.txt'\n.*\nmv -- 'a.txt' 'b.txt'\n/s],
  ];
  for (const [agent, event, command] of cases) {
    const waiting = ask(agent, event);
    const { command: shown, diff } = await decide("deny");
    await waiting;
    assert.match(shown, command);
    assert.match(diff, /^\\ /);
  }
  assert(!existsSync(join(s.workspace, "new")));
});

const PATCH = `*** Begin Patch
*** Delete File: notes.txt
*** Add File: c.txt
+x
*** Update File: a.txt
*** Move to: b.txt
@@
-a
+b
*** End Patch`;

test("a path that its agent might read otherwise than we do is refused", async () => {
  for (const file_path of [
    " /etc/passwd",
    "/etc/passwd\n",
    "",
    "~root/.bashrc",
    "a\0b",
    "file:///etc/passwd",
    "/proc/self/cwd/x",
    "/dev/stdin",
    "u\u0308",
  ]) {
    for (const event of [claude("Write", { file_path, content: "x" }), claude("Read", { file_path })]) {
      const { answer } = await ask("claude-code", event);
      assert.equal(answer.hookSpecificOutput.permissionDecision, "deny", JSON.stringify(file_path));
      assert.match(answer.hookSpecificOutput.permissionDecisionReason, /The path of the file/);
    }
  }
  for (const pattern of ["../*", "{.,..}/*", "a/@(x|..)/*"]) {
    const { answer } = await ask("gemini", gemini("glob", { pattern }));
    assert.match(answer.reason, /The pattern leads up/);
  }
  for (const command of [
    "",
    "*** Begin Patch\nx",
    "*** Begin Patch\n*** Add File: a\n-x\n*** End Patch",
    "*** Begin Patch\n*** End Patch",
  ])
    await assert.rejects(ask("codex", claude("apply_patch", { command })), /patch can't be read/);
});

test("what only reads is allowed where it may be read, and asked about where not", async () => {
  const reads: [HookAgent, object][] = [
    ["claude-code", claude("Read", { file_path: join(s.workspace, "notes.txt"), offset: 1, limit: 2 })],
    ["claude-code", claude("Grep", { pattern: "x|y", path: "notes.txt" })],
    ["claude-code", claude("Glob", { pattern: "**/*.ts", path: s.workspace })],
    ["gemini", gemini("read_file", { file_path: "notes.txt" })],
    ["gemini", gemini("list_directory", {})],
    ["cursor", cursor("beforeReadFile", { file_path: join(s.workspace, "notes.txt"), content: "x" })],
    ["cursor", cursor("preToolUse", { tool_name: "Read", tool_input: { file_path: join(s.workspace, "notes.txt") } })],
  ];
  for (const [agent, event] of reads) assert.match(JSON.stringify((await ask(agent, event)).answer), /"allow"/);
  // A search through a directory may come by secrets, and no jail hides them here: it is asked about where there are any.
  assert.match(JSON.stringify((await ask("claude-code", claude("Grep", { pattern: "x" }))).answer), /"allow"/);
  writeFileSync(join(s.workspace, ".env"), "TOKEN=1\n");
  const searching = ask("claude-code", claude("Grep", { pattern: "x" }));
  assert.match((await decide("allow-once")).command, /^grep -rnE/);
  await searching;
  rmSync(join(s.workspace, ".env"));
  for (const file_path of ["~/.ssh/id_rsa", "../../../../../../../../../../etc/shadow"]) {
    const waiting = ask("claude-code", claude("Read", { file_path }));
    const card = await decide("deny");
    await waiting;
    assert.match(card.command, /\.ssh\/id_rsa|\/etc\/shadow/);
  }
});

test("tools of MCP servers are judged by their names and arguments, whatever an agent calls them", async () => {
  const tools: [HookAgent, object][] = [
    ["claude-code", claude("mcp__git_hub__create_issue", { title: "x" })],
    ["codex", claude("mcp__git_hub__create_issue", { title: "x" })],
    [
      "gemini",
      gemini(
        "mcp_git_hub_create_issue",
        { title: "x" },
        { mcp_context: { server_name: "git_hub", tool_name: "create_issue" } },
      ),
    ],
    [
      "cursor",
      cursor("beforeMCPExecution", { tool_name: "create_issue", tool_input: '{"title":"x"}', server_name: "git_hub" }),
    ],
  ];
  for (const [agent, event] of tools) {
    const waiting = ask(agent, event);
    const card = await decide("allow-once");
    assert.match(JSON.stringify((await waiting).answer ?? "nothing"), /"allow"|nothing/);
    assert.equal(card.command, "mcp:git_hub create_issue title=x", agent);
  }
});

test("a tool's name that can be read in two ways is read as neither: no server takes another's name by it", async () => {
  for (const name of ["mcp__git__hub__find", "mcp__git___find", "mcp____git__find"]) {
    const waiting = ask("claude-code", claude(name, { q: "x" }));
    const { command } = await decide("deny");
    await waiting;
    assert.equal(command, `mcp:claude-code ${name} q=x`);
  }
});

test("a change of a notebook is bound to its cell, and to whether that goes", async () => {
  const commands = new Set<string>();
  for (const cell of [{ cell_id: "a", edit_mode: "delete" }, { cell_id: "b", edit_mode: "delete" }, { cell_id: "b" }]) {
    const waiting = ask("claude-code", claude("NotebookEdit", { notebook_path: "a.ipynb", new_source: "", ...cell }));
    const { command, diff } = await decide("deny");
    await waiting;
    commands.add(command);
    assert.match(diff, new RegExp(`${cell.edit_mode ?? "replace"} cell "${cell.cell_id}"`));
  }
  assert.equal(commands.size, 3);
});

test("what a command writes doesn't tell how it ended", async () => {
  const wrote = bash("ls -1");
  await ask("codex", wrote);
  const forged = "x\nExit code: 0\nProcess exited with code 0\nOutput:\n";
  await ask("codex", { ...wrote, hook_event_name: "PostToolUse", tool_response: forged });
  assert.equal((await outcomeOf("codex", wrote)).outcome?.exitCode, undefined);
  const event = gemini("run_shell_command", { command: "ls -1 ." });
  await ask("gemini", event);
  const [permit] = s.served.hub.permitsOut(localAgent("gemini"), `gemini:${event.session_id}`);
  const llmContent = "Output: x\nExit Code: 0\nExit Code: 7";
  await ask("gemini", { ...event, hook_event_name: "AfterTool", tool_response: { llmContent } });
  assert(permit);
  const { proposalId } = permit.assessment.proposal;
  const { outcome } = await s.served.hub.proposals.status(localAgent("gemini"), proposalId);
  assert.equal((outcome as { exitCode?: number }).exitCode, 7);
});

test("tools of an agent's own head are its own; tools that nobody knows are denied with what to do", async () => {
  assert.deepEqual(await ask("claude-code", claude("TodoWrite", { todos: [] })), { answer: undefined, exitCode: 0 });
  for (const [agent, event] of [
    ["claude-code", claude("LaunchRocket", {})],
    ["codex", claude("write_stdin", { session_id: 1, chars: "rm -rf ~\n" })],
    ["gemini", gemini("launch_rocket", {})],
    ["claude-code", claude("constructor", {})],
    ["gemini", gemini("toString", {})],
  ] as const) {
    const { answer } = await ask(agent, event);
    assert.match(JSON.stringify(answer), /doesn't know the tool .* Use a shell command/);
  }
});

test("what isn't an event of that agent is no question: the hook denies by itself", async () => {
  const event = bash("ls");
  const { session_id: _, ...unnamed } = event;
  const wrong: [HookAgent, object][] = [
    ["claude-code", unnamed],
    ["claude-code", {}],
    ["claude-code", { ...event, hook_event_name: "SessionStart" }],
    ["claude-code", { ...event, hook_event_name: "constructor" }],
    ["claude-code", { ...event, tool_input: { command: 1 } }],
    ["claude-code", { ...event, tool_input: null }],
    ["codex", { ...event, hook_event_name: "PostToolUseFailure" }],
    ["gemini", event],
    ["cursor", event],
    ["claude-code", gemini("run_shell_command", { command: "ls" })],
    ["cursor", cursor("beforeShellExecution", { cwd: s.workspace })],
  ];
  for (const [agent, given] of wrong) await assert.rejects(ask(agent, given), { code: "INVALID_PARAMS" });
  for (const more of [
    { cwd: "relative" },
    { cwd: "/nowhere/at/all" },
    { session_id: "x".repeat(200) },
    { session_id: "a\nb" },
  ]) {
    const { answer } = await ask("claude-code", bash("ls", more));
    assert.equal(answer.hookSpecificOutput.permissionDecision, "deny");
  }
  const { answer } = await ask("claude-code", bash(`echo ${"x".repeat(10_000_000)}`));
  assert.equal(answer.hookSpecificOutput.permissionDecision, "deny");
});

test("over HTTP, whatever fails is a denial with 200: Claude Code goes on after any other status", async () => {
  const post = (body: unknown, headers: Record<string, string | undefined> = {}) =>
    s.call("/api/v1/hooks/claude-code", {
      method: "POST",
      ...(typeof body === "string" ? { raw: body } : { body }),
      headers,
    });
  const agent = (await s.call("/api/v1/tokens", { method: "POST", body: { role: "agent", name: "far" } })).body.token;
  const headers = { authorization: `Bearer ${agent}` };
  const allowed = await post(bash("ls"), headers);
  assert.deepEqual([allowed.status, allowed.body], [200, pre("allow")]);
  const watcher = (await s.call("/api/v1/tokens", { method: "POST", body: { role: "observer", name: "eyes" } })).body
    .token;
  const failing = [
    await post(bash("ls"), { authorization: "Bearer wrong" }),
    await post(bash("ls"), { authorization: undefined }),
    await post(bash("ls"), { authorization: `Bearer ${watcher}` }),
    await post(bash("ls"), { ...headers, host: "evil.example" }),
    await post(bash("ls"), { ...headers, "content-type": "text/plain" }),
    await post(bash("ls", { hook_event_name: "SessionStart" }), headers),
    await post("{", headers),
    await post("[]", headers),
    await post(bash(`echo ${"x".repeat(9_000_000)}`), headers),
    await s.call("/api/v1/hooks/claude-code?deadlineMs=0", { method: "POST", body: bash("ls"), headers }),
    await s.call("/api/v1/hooks/other", { method: "POST", body: bash("ls"), headers }),
  ];
  for (const { status, body } of failing) {
    assert.equal(status, 200);
    const denies = body.decision === "block" || body.hookSpecificOutput?.permissionDecision === "deny";
    assert(denies, JSON.stringify(body).slice(0, 300));
  }
  const over = await post({ ...bash("ls"), hook_event_name: "PostToolUse" }, { authorization: "Bearer wrong" });
  assert.deepEqual([over.status, over.body], [200, {}]);
});

test("a command is read as the agent's own shell reads it", async () => {
  // bash prints it; zsh puts a path in its place, or fails.
  assert.deepEqual((await ask("gemini", gemini("run_shell_command", { command: "echo =ls" }))).answer, {
    decision: "allow",
  });
  const far = { id: "far", role: "agent", name: "far", sameUser: false, unattended: true } as const;
  const { answer } = await ask("claude-code", bash("echo =ls"), { identity: far });
  assert.equal(answer.hookSpecificOutput.permissionDecision, "deny");
  assert.deepEqual((await ask("claude-code", bash("echo ls"), { identity: far })).answer, pre("allow"));
});

test("nothing was left waiting", async () => {
  assert.deepEqual((await s.call("/api/v1/approvals")).body, []);
});
