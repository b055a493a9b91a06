import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "@countersign/execd-dev";
import { type OpenJail, openJail } from "../../packages/cli/src/execd/open-jail.ts";
import { PtyTestClient } from "../../packages/execd-dev/test/pty-client.ts";
import { ISOLATED_MOUNTS, SDK_SURFACE, Surface } from "../../packages/execd-dev/test/sdk-surface.ts";

const TOKEN = "a-token-of-the-tests";
const skip = !existsSync("/usr/bin/bwrap") && "install bubblewrap to run this";

/** Whether it is what the test has left behind in a session. */
function isSleeping(pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("sleep\x007654");
  } catch {
    return false;
  }
}

describe("the official SDK, with a jail around everything", { concurrency: 4, skip }, () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-jailed-surface-")));
  const workspace = join(base, "work");
  const bugs: unknown[] = [];
  let opened: OpenJail;
  let execd: LocalExecd;
  let surface: Surface;
  before(async () => {
    mkdirSync(workspace);
    opened = await openJail({ workspace, homeDir: join(base, "home"), network: false, logLevel: "error" });
    const { jail, isolator, env } = opened;
    const onBug = (cause: unknown) => bugs.push(cause);
    execd = await startLocalExecd({ port: 0, token: TOKEN, directory: workspace, jail, isolator, env, onBug });
    surface = new Surface({ url: execd.url, token: TOKEN, directory: workspace, isJailed: true });
  });
  after(async () => {
    await surface.close();
    await execd.close();
    await opened.close();
    rmSync(base, { recursive: true });
    assert.deepEqual(bugs, []);
  });
  for (const step of [...SDK_SURFACE, ...ISOLATED_MOUNTS]) test(step.name, () => step.run(surface));

  test("an isolated session is apart from everything else, and leaves nothing", async () => {
    const { isolation, commands } = surface.sdk;
    assert.ok(isolation);
    const said = async (run: Promise<{ logs: { stdout: readonly { text: string }[] } }>) =>
      (await run).logs.stdout.map(({ text }) => text);
    await commands.run("echo outside > /tmp/outside; echo kept > kept");
    const one = await isolation.create({ workspace: { path: workspace } });
    const other = await isolation.create({ workspace: { path: workspace, mode: "ro" } });
    await one.run("echo one > /tmp/one; setsid sleep 7654 >/dev/null 2>&1 &");
    assert.deepEqual(await said(one.run("ls /tmp/one /tmp/outside 2>/dev/null")), ["/tmp/one"]);
    assert.deepEqual(await said(other.run("ls /tmp/one /tmp/outside 2>/dev/null; echo none")), ["none"]);
    assert.deepEqual(await said(commands.run("ls /tmp/one 2>/dev/null; echo none")), ["none"]);
    // By its files too.
    assert.equal(await one.files.readFile("/tmp/one"), "one\n");
    await assert.rejects(other.files.readFile("/tmp/one"), /.*/);
    const changes =
      "cat kept; touch new 2>/dev/null || echo held; rm kept 2>/dev/null || echo held; touch /tmp/own && echo own";
    assert.deepEqual(await said(other.run(changes)), ["kept", "held", "held", "own"]);
    assert.deepEqual(await said(one.run("cat kept; touch new && echo new")), ["kept", "new"]);
    assert.deepEqual(await said(one.run("cat /proc/net/dev | grep -c :")), ["1"], "nothing but its own loopback");
    await Promise.all([one.delete(), other.delete()]);
    assert.ok(!readdirSync("/proc").some((pid) => isSleeping(pid)), "what it left has ended");
  });

  test("a terminal: its size, what is typed, and how it ended", async () => {
    const headers = surface.headers;
    const made = await fetch(`${execd.url}/pty`, {
      method: "POST",
      headers,
      body: JSON.stringify({ cwd: "terminal" }),
    });
    const { session_id: id } = (await made.json()) as { session_id: string };
    const client = await PtyTestClient.open({ url: execd.url, token: TOKEN }, id);
    client.send({ type: "resize", cols: 91, rows: 31 });
    client.type("stty size; pwd; exit 5\n");
    await client.closed;
    assert.match(client.output, /31 91/);
    assert.ok(client.output.includes(join(workspace, "terminal")));
    assert.deepEqual(client.frames.at(-1), { type: "exit", exit_code: 5 });
  });
});
