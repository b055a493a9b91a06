import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "@countersign/execd";
import { type OpenJail, openJail } from "../../packages/cli/src/execd/open-jail.ts";
import { PtyTestClient } from "../../packages/execd/test/pty-client.ts";
import { SDK_SURFACE, Surface } from "../../packages/execd/test/sdk-surface.ts";

const TOKEN = "a-token-of-the-tests";
const skip = !existsSync("/usr/bin/bwrap") && "install bubblewrap to run this";

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
    const { jail, env } = opened;
    const onBug = (cause: unknown) => bugs.push(cause);
    execd = await startLocalExecd({ port: 0, token: TOKEN, directory: workspace, jail, env, onBug });
    surface = new Surface({ url: execd.url, token: TOKEN, directory: workspace });
  });
  after(async () => {
    await surface.close();
    await execd.close();
    await opened.close();
    rmSync(base, { recursive: true });
    assert.deepEqual(bugs, []);
  });
  for (const step of SDK_SURFACE) test(step.name, () => step.run(surface));

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
