import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";

/** Seed 003's Verification, step by step: `npm start`, no API key, and a plain WebSocket client. */

const root = fileURLToPath(new URL("..", import.meta.url));
const TOKEN = "mysecrettoken";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Frame = Record<string, unknown> & { data: Record<string, unknown>; result: Record<string, unknown> };

let scratch: string;
let hub: ChildProcess;
/** npm's child: npm doesn't pass a signal on to it. */
let hubPid: number;
let socket: WebSocket;
let sessionKey: string;
const frames: Frame[] = [];
let wake = () => undefined as undefined;

before(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-seed-")));
  const home = join(scratch, "home");
  mkdirSync(home, { mode: 0o700 });
  const keyless = Object.entries(process.env).filter(([name]) => !/_API_KEY$|^npm_|^COUNTERSIGN_/.test(name));
  const env = { ...Object.fromEntries(keyless), COUNTERSIGN_HOME: home, COUNTERSIGN_TOKEN: TOKEN };
  hub = spawn("npm", ["start", "--silent", "--", "--port", "0", "--json"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  assert.ok(hub.stdout);
  const [line] = (await once(createInterface(hub.stdout), "line")) as [string];
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  hubPid = pid;
  socket = new WebSocket(url.replace("http:", "ws:"));
  socket.on("message", (data) => {
    frames.push(JSON.parse(data.toString()));
    wake();
  });
  await once(socket, "open");
});

after(async () => {
  socket?.terminate();
  if (hub?.exitCode === null) {
    process.kill(hubPid, "SIGTERM");
    await once(hub, "exit");
  }
  rmSync(scratch, { recursive: true, force: true });
});

/** The next frame in order that fits; what came before it is passed over. */
async function next(match: (frame: Frame) => boolean): Promise<Frame> {
  for (;;) {
    const at = frames.findIndex(match);
    if (at >= 0) return frames.splice(0, at + 1).at(-1) as Frame;
    await new Promise<void>((resolve) => {
      wake = () => resolve() as undefined;
    });
  }
}

const send = (frame: object) => socket.send(JSON.stringify(frame));
const answer = (id: string) => next((frame) => frame.id === id);
const event = (name: string) => next((frame) => frame.event === name);

/** Everything that the agent says until its run has ended. */
async function said(runId: unknown): Promise<{ texts: string[]; final: Frame }> {
  const texts: string[] = [];
  for (;;) {
    const frame = await next(({ event: name }) => String(name).startsWith("chat."));
    assert.equal(frame.data.runId, runId);
    if (frame.event === "chat.delta") texts.push(String(frame.data.text));
    if (frame.event === "chat.final" || frame.event === "chat.error") return { texts, final: frame };
  }
}

test("2. connect and authenticate", async () => {
  send({ type: "auth", token: TOKEN });
  assert.deepEqual(await next(() => true), { type: "auth", ok: true });
});

test("3. create a session, and send what makes the agent use its tool", async () => {
  send({ id: "1", method: "sessions.create", params: {} });
  sessionKey = String((await answer("1")).result.sessionKey);
  assert.match(sessionKey, UUID);
});

test("4. and 5. approve; the output arrives, then the end", async () => {
  send({ id: "2", method: "chat.send", params: { sessionKey, message: "Please run: echo hello world" } });
  const first = await next(() => true);
  assert.deepEqual(first, { id: "2", result: { runId: first.result.runId } });
  assert.match(String(first.result.runId), UUID);
  const { data } = await event("exec.approval_request");
  assert.equal(data.command, "echo hello world");
  assert.match(String(data.approvalId), UUID);
  assert.equal(data.workingDir, realpathSync(root).replace(/\/$/, ""));
  send({ id: "3", method: "exec.approve", params: { approvalId: data.approvalId } });
  assert.deepEqual(await answer("3"), { id: "3", result: { ok: true } });
  const { texts, final } = await said(first.result.runId);
  assert.deepEqual(texts, ["hello world\n"]);
  assert.equal(final.event, "chat.final");
  const usage = final.data.usage as Record<string, number>;
  assert.ok((usage.inputTokens ?? 0) > 0 && (usage.outputTokens ?? 0) > 0);
});

test("6. deny; the model acknowledges it", async () => {
  send({ id: "4", method: "chat.send", params: { sessionKey, message: "Run: rm -rf /tmp/testdir" } });
  const { runId } = (await answer("4")).result;
  const { data } = await event("exec.approval_request");
  assert.equal(data.command, "rm -rf /tmp/testdir");
  send({ id: "5", method: "exec.deny", params: { approvalId: data.approvalId, reason: "too dangerous" } });
  assert.deepEqual(await answer("5"), { id: "5", result: { ok: true } });
  const { texts, final } = await said(runId);
  assert.match(texts.join(""), /denied.*too dangerous/s);
  assert.equal(final.event, "chat.final");
});

test("8. a secret in the command is shown nowhere", async () => {
  const message = "Run: echo ANTHROPIC_API_KEY=sk-ant-fake123";
  send({ id: "6", method: "chat.send", params: { sessionKey, message } });
  const { runId } = (await answer("6")).result;
  const { data } = await event("exec.approval_request");
  assert.doesNotMatch(JSON.stringify(data), /fake123/);
  send({ id: "7", method: "exec.approve", params: { approvalId: data.approvalId } });
  await answer("7");
  const { texts } = await said(runId);
  assert.equal(texts.join(""), "ANTHROPIC_API_KEY=[REDACTED]\n");
  send({ id: "8", method: "chat.history", params: { sessionKey } });
  assert.doesNotMatch(JSON.stringify(await answer("8")), /fake123/);
});

test("7. the audit log has what ran and what was denied", async () => {
  // The tail is written before it is read.
  send({ id: "9", method: "audit.tail", params: {} });
  await answer("9");
  const lines = readFileSync(join(scratch, "home/audit.jsonl"), "utf8").trim().split("\n");
  const events = lines.map((line) => JSON.parse(line)).filter((line) => line.sessionKey === sessionKey);
  assert.deepEqual(
    events.map(({ type, details }) => [type, details.command]),
    [
      ["tool_exec", "echo hello world"],
      ["tool_denied", "rm -rf /tmp/testdir"],
      ["tool_exec", "echo ANTHROPIC_API_KEY=[REDACTED: 14 characters]"],
    ],
  );
  assert.ok(events.every(({ ts }) => Number.isInteger(ts)));
});
