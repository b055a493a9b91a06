import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";
import { BIN, Place } from "./countersign.ts";
import { loadPty, PtyScreen } from "./pty-screen.ts";

const pty = await loadPty();
const skip = pty ? false : "@lydell/node-pty can't be loaded here";

interface Stage {
  readonly served: Served;
  readonly workspace: string;
  chat(...args: readonly string[]): PtyScreen;
}

async function openStage(t: TestContext): Promise<Stage> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "cs-chat-")));
  const workspace = join(scratch, "work");
  mkdirSync(workspace);
  const home = join(scratch, "home");
  const served = await serve({ homeDir: home, cwd: workspace, port: 0, log: silentLog });
  t.after(async () => {
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const terminal = { TERM: "xterm-256color", LANG: "C.UTF-8" };
  const env = { PATH, NODE_COMPILE_CACHE, HOME: scratch, COUNTERSIGN_HOME: home, ...terminal };
  const chat = (...args: readonly string[]) => {
    assert(pty);
    const screen = new PtyScreen(pty, [process.execPath, BIN, "chat", ...args], { env, cwd: workspace });
    t.after(async () => {
      screen.process.kill("SIGKILL");
      await screen.ended;
    });
    return screen;
  };
  return { served, workspace, chat };
}

/** As a paste, which is drawn before it is sent. */
async function say(screen: PtyScreen, message: string): Promise<void> {
  screen.press(message);
  await screen.shows(message.slice(-40));
  screen.press("\r");
}

/** A key counts 400 ms after the card has changed. */
const settled = () => sleep(450);

test("a conversation in a real terminal: streamed, asked inline, with the keys of `watch`", { skip }, async (t) => {
  const { chat, workspace } = await openStage(t);
  const screen = chat();
  await screen.shows(/^> *$/m);
  await say(screen, "Run: echo hello world");
  await screen.shows("a allow once");
  await screen.shows("$ echo hello world");
  // Too soon, and nothing that is pasted: neither decides.
  screen.press("aaa");
  await settled();
  screen.press("a");
  await screen.shows("✓ allowed");
  await screen.shows(/^\| hello world$/m);
  await screen.shows(/^ {2}hello world$/m);
  await screen.shows(/^> *$/m);
  await screen.hides("a allow once");

  await say(screen, "Run: rm -rf sub");
  await screen.shows("d deny…");
  await settled();
  screen.press("d");
  await screen.shows("Why not?");
  await say(screen, "keep it");
  await screen.shows(/✗ denied by .*keep it/);
  await screen.shows(/I won't try it another way\.\n> *$/);

  await say(screen, "Run: rm -rf /tmp/cs-never-made");
  await screen.shows("DANGEROUS");
  await settled();
  screen.press("a");
  await screen.shows("Type yes to allow");
  await screen.type("yes");
  screen.press("\r");
  await screen.shows("✓ allowed");
  assert.equal(existsSync(join(workspace, "sub")), false);
  await screen.shows(/It worked, and wrote nothing\.\n> *$/);
  screen.press("\x03");
  assert.equal(await screen.ended, 0);
  assert.ok(screen.sent.endsWith("\x1b[?2004l\x1b[?25h"), JSON.stringify(screen.sent.slice(-60)));
});

test("progress while a command runs; Ctrl-C stops it, once more leaves", { skip }, async (t) => {
  const { chat, served } = await openStage(t);
  const screen = chat();
  await screen.shows(/^> *$/m);
  const run = async (command: string) => {
    await say(screen, `Run: ${command}`);
    await screen.shows("a allow once");
    await settled();
    screen.press("a");
  };
  await run("echo working; sleep 1000");
  await screen.shows(/… \d+ s {2}working/);
  screen.press("\x03");
  await screen.shows("- Stopped.");
  await screen.shows(/^> *$/m);
  assert.equal(served.hub.runs.list().length, 0);
  await run("echo again; sleep 1001");
  await screen.shows(/… \d+ s {2}again/);
  screen.press("\x03");
  screen.press("\x03");
  assert.equal(await screen.ended, 130);
});

test("what the model says can't stand where our lines begin, or steer the terminal", { skip }, async (t) => {
  const { chat } = await openStage(t);
  const screen = chat();
  await screen.shows(/^> *$/m);
  const long = "y".repeat(85);
  await say(screen, `Run: printf '%s\\n' '✓ allowed by you' ${long}; printf '\\033[2Jx\\n'`);
  await screen.shows("a allow once");
  await settled();
  screen.press("a");
  await screen.shows("<U+001B>[2Jx");
  await screen.shows(/^ {2}✓ allowed by you$/m);
  await screen.shows(/^ {2}y{7}$/m);
  // Nor can a long command, where it is broken.
  assert.doesNotMatch(screen.text, /^(?:✓ allowed by you|y)/m);
  assert.ok(!screen.sent.includes("\x1b[2J"));
});

test("without a terminal: a message, an answer, and who answers is told", async (t) => {
  const place = new Place(t);
  await place.serve();
  const hello = await place.run("chat", "hello");
  assert.equal(hello.code, 0);
  assert.match(hello.stdout, /^I am the demo model/);
  const asking = place.start(["chat", "--session", "mine", "--agent", "assistant", "Run: echo from", "here"]);
  await place.waiting(1);
  const [pending] = JSON.parse((await place.run("pending", "--json")).stdout) as {
    approvalId: string;
    agentId: string;
  }[];
  assert.equal(pending?.agentId, "mine");
  await place.run("approve", pending?.approvalId ?? "");
  const asked = await asking.ended;
  assert.deepEqual([asked.code, asked.stdout], [0, "from here\n"]);
  assert.match(asked.stderr, /waits for an answer: echo from here\n.*approve [0-9a-f]{8}/);
  const json = await place.run("chat", "--json", "--session", "mine", "hello");
  const events = json.stdout
    .trim()
    .split("\n")
    .map((each) => JSON.parse(each));
  assert.deepEqual(
    [events[0].event, events[0].data.sessionKey, events.at(-1).event],
    ["chat.user", "mine", "chat.final"],
  );
  const unknown = await place.run("chat", "--agent", "nobody", "hello");
  assert.deepEqual([unknown.code, unknown.stderr], [1, `countersign: There's no agent "nobody"\n`]);
  const missing = await place.run("chat", "--session", "unknown", "hello");
  assert.match(missing.stderr, /no such session/);
});
