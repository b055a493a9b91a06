import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Editor } from "./acp-editor.ts";
import { BIN } from "./countersign.ts";
import { openProxyHub, type ProxyHub } from "./mcp-proxy-fixture.ts";

const AGENT = fileURLToPath(new URL("acp-agent-child.ts", import.meta.url));
const OPTIONS = [
  { optionId: "for-ever", name: "Always", kind: "allow_always" },
  { optionId: "this-once", name: "Allow", kind: "allow_once" },
  { optionId: "not-now", name: "Reject", kind: "reject_once" },
];

function permission(toolCallId: string, toolCall: object, options: object[] = OPTIONS) {
  return { request: "session/request_permission", params: { toolCall: { toolCallId, ...toolCall }, options } };
}

function chosen(optionId: string, words?: string) {
  const outcome = { outcome: { outcome: "selected", optionId } };
  return words === undefined ? outcome : { ...outcome, _meta: { "countersign/reason": words } };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

describe("between an editor and its agent", () => {
  const cleaners: (() => unknown)[] = [];
  let hub: ProxyHub;
  let relay: ChildProcess;
  let editor: Editor;

  before(async () => {
    hub = await openProxyHub({ after: (clean) => cleaners.unshift(clean) });
    writeFileSync(join(hub.workspace, "seen.txt"), "what was seen\n");
    relay = spawn(process.execPath, [BIN, "acp", "--home", hub.homeDir, "--", process.execPath, AGENT], {
      cwd: hub.workspace,
      stdio: ["pipe", "pipe", "inherit"],
    });
    cleaners.unshift(() => relay.kill("SIGKILL"));
    editor = await Editor.open(relay, hub.workspace);
  });
  after(async () => {
    for (const clean of cleaners) await clean();
  });

  function audited(): { command: string; kind: string; exitCode?: number; reportedBy: string }[] {
    return readFileSync(join(hub.homeDir, "audit.jsonl"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string; details: ReturnType<typeof audited>[number] })
      .filter(({ type }) => type.startsWith("tool_"))
      .map(({ details }) => details);
  }

  async function recorded(command: string): Promise<{ kind: string; exitCode?: number; reportedBy: string }> {
    await until(() => audited().some((run) => run.command === command));
    const { kind, exitCode, reportedBy } = audited().find((run) => run.command === command) ?? assert.fail();
    return { kind, ...(exitCode === undefined ? {} : { exitCode }), reportedBy };
  }

  test("a permission for what is safe is given without anyone, for once; its end is on record", async () => {
    const call = { kind: "execute", title: "Look", rawInput: { command: "cat seen.txt" } };
    const done = { sessionUpdate: "tool_call_update", toolCallId: "safe-1", status: "completed" };
    const { said } = await editor.prompt([
      permission("safe-1", call),
      { notify: "session/update", params: { update: done } },
    ]);
    assert.deepEqual(said, [chosen("this-once"), null]);
    assert.deepEqual(editor.asked, []);
    await until(() => editor.updates.length > 0);
    assert.deepEqual(editor.updates, [{ sessionId: editor.sessionId, update: done }]);
    assert.deepEqual(await recorded("cat seen.txt"), { kind: "exited", reportedBy: "executor" });
  });

  test("what was told before counts when permission is asked for by id alone; a denial is a reject, with its reason beside it", async () => {
    const told = {
      sessionUpdate: "tool_call",
      toolCallId: "told-1",
      kind: "execute",
      title: "Make",
      status: "pending",
    };
    const prompt = editor.prompt([
      { notify: "session/update", params: { update: { ...told, rawInput: { command: "touch made.txt" } } } },
      permission("told-1", {}),
    ]);
    const card = await hub.answer("deny", "not today");
    assert.deepEqual([card.command, card.cwd], ["touch made.txt", hub.workspace]);
    const words = `Denied by ann: not today. Do not reach the same effect another way; propose something else or ask.`;
    assert.deepEqual((await prompt).said, [null, chosen("not-now", words)]);
    assert.deepEqual(editor.asked, []);
  });

  test("a terminal runs in our jail, and shows what it would have shown", async () => {
    const { said } = await editor.prompt([
      { terminal: { command: "cat", args: ["seen.txt"] } },
      { terminal: { command: "cat none.txt" } },
    ]);
    assert.deepEqual(said, [
      { exitCode: 0, output: "what was seen\n" },
      { exitCode: 1, output: "cat: none.txt: No such file or directory\n" },
    ]);
    assert.deepEqual(
      editor.terminals.map(({ args }) => args?.includes("acp")),
      [true, true],
    );
    assert.deepEqual(await recorded("cat none.txt"), { kind: "exited", exitCode: 1, reportedBy: "hub" });
  });

  test("a terminal for what was just permitted isn't asked about again, and that counts for one", async () => {
    editor.terminals.length = 0;
    const command = "touch once.txt";
    const prompt = editor.prompt([
      permission("once-1", { kind: "execute", title: "Make", rawInput: { command } }),
      { terminal: { command } },
      { terminal: { command } },
    ]);
    await hub.answer("allow-once");
    await hub.answer("deny", "once is enough");
    const { said } = await prompt;
    assert.deepEqual(said.slice(0, 2), [chosen("this-once"), { exitCode: 0, output: "" }]);
    assert.match(JSON.stringify(said[2]), /-32050.*once is enough/);
    assert.deepEqual(
      editor.terminals.map((terminal) => terminal.command),
      [command],
    );
    assert.deepEqual(await recorded(command), { kind: "exited", exitCode: 0, reportedBy: "executor" });
  });

  test("files are gated like commands", async () => {
    const path = join(hub.workspace, "file.txt");
    const write = (content: string) => ({ request: "fs/write_text_file", params: { path, content } });
    const prompt = editor.prompt([write("one\n"), write("two\n"), { request: "fs/read_text_file", params: { path } }]);
    await hub.answer("allow-once");
    await hub.answer("deny", "one is right");
    const { said } = await prompt;
    assert.match(JSON.stringify(said[1]), /-32050.*one is right/);
    assert.deepEqual(said[2], { content: "one\n" });
    assert.equal(readFileSync(path, "utf8"), "one\n");
  });

  test("what isn't ours to decide is the editor's; what offers no single run is never taken for ever", async () => {
    const { said } = await editor.prompt([permission("plan-1", { kind: "switch_mode", title: "Leave plan mode" })]);
    assert.deepEqual(said, [chosen("for-ever")]);
    assert.equal(editor.asked.length, 1);
    const lasting = OPTIONS.filter(({ kind }) => kind !== "allow_once");
    const call = { kind: "execute", title: "Look", rawInput: { command: "cat seen.txt" } };
    assert.deepEqual((await editor.prompt([permission("last-1", call, lasting)])).said, [chosen("for-ever")]);
    assert.equal(editor.asked.length, 2);
    editor.asked.length = 0;
  });

  test("a title alone isn't a command: a person sees what it is", async () => {
    const prompt = editor.prompt([permission("title-1", { kind: "execute", title: "cat seen.txt" })]);
    const card = await hub.answer("allow-once");
    assert.equal(card.command, "mcp:acp execute 'title=cat seen.txt'");
    assert.deepEqual((await prompt).said, [chosen("this-once")]);
  });

  test("a cancelled turn withdraws what waits", async () => {
    const call = { kind: "execute", title: "Make", rawInput: { command: "touch late.txt" } };
    const prompt = editor.prompt([permission("late-1", call)]);
    await hub.asked();
    await editor.agent.notify("session/cancel", { sessionId: editor.sessionId });
    assert.deepEqual(await prompt, { stopReason: "cancelled", said: [{ outcome: { outcome: "cancelled" } }] });
    assert.equal((await recorded("touch late.txt")).kind, "cancelled");
  });

  test("all else passes as it is, in both directions", async () => {
    const odd = { sessionId: editor.sessionId, big: 12_345_678_901_234, list: [1.5, null, "ä\u2028"] };
    assert.deepEqual(await editor.agent.request("_example/echo", odd), { params: odd });
    const { said } = await editor.prompt([{ request: "_example/ask", params: odd }, { request: "_example/none" }]);
    assert.deepEqual(said[0], { params: odd });
    assert.match(JSON.stringify(said[1]), /-32601/);
  });

  test("without a hub nothing is allowed, and the agent's end is ours", async () => {
    await hub.close();
    const call = { kind: "execute", title: "Look", rawInput: { command: "cat seen.txt" } };
    const { said } = await editor.prompt([permission("down-1", call), { terminal: { command: "touch down.txt" } }]);
    assert.match(JSON.stringify(said[0]), /not-now.*couldn't decide, so this isn't allowed/);
    assert.match(JSON.stringify(said[1]), /-32050.*couldn't decide, so this isn't allowed/);
    assert.equal(existsSync(join(hub.workspace, "down.txt")), false);
    const ended = once(relay, "exit");
    relay.stdin?.end();
    assert.deepEqual(await ended, [0, null]);
  });
});
