import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "@countersign/execd-dev";
import { type ExecdFrame, type RecordingProxy, startProxy } from "@countersign/sandbox";
import { type OpenJail, openJail } from "../../packages/cli/src/execd/open-jail.ts";
import { ISOLATED_MOUNTS, Surface } from "../../packages/execd-dev/test/sdk-surface.ts";
import { sinkInto } from "../../packages/sandbox/test/sink-into.ts";
import { allowAll, type GatedExecd, openGated, TOKEN } from "./gated-execd.ts";

// Directly they are tried with all of the SDK's surface, in jailed-surface.deep.ts.

const skip = !existsSync("/usr/bin/bwrap") && "install bubblewrap to run this";

/** A directory with a jail around it, and what is in it when it ends. */
async function openWorkspace(tmpBytes?: number): Promise<{ opened: OpenJail; end(): Promise<void> }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-isolated-mounts-")));
  const workspace = join(base, "work");
  mkdirSync(workspace);
  const options = { workspace, homeDir: join(base, "home"), network: false, logLevel: "error" } as const;
  const opened = await openJail({ ...options, ...(tmpBytes === undefined ? {} : { tmpBytes }) });
  return {
    opened,
    async end() {
      await opened.close();
      rmSync(base, { recursive: true });
    },
  };
}

describe("what isolated sessions can be shown, through the proxy", { concurrency: 4, skip }, () => {
  const frames: ExecdFrame[] = [];
  let around: Awaited<ReturnType<typeof openWorkspace>>;
  let execd: LocalExecd;
  let proxy: RecordingProxy;
  let surface: Surface;
  before(async () => {
    around = await openWorkspace();
    const { workspace: directory, jail, isolator, env } = around.opened;
    execd = await startLocalExecd({ port: 0, directory, jail, isolator, env });
    proxy = await startProxy({
      ...{ listen: { host: "127.0.0.1", port: 0 }, execd: new URL(execd.url), sandboxId: "box-1" },
      sink: sinkInto(frames),
    });
    surface = new Surface({ url: `http://127.0.0.1:${proxy.address.port}`, directory });
  });
  after(async () => {
    await surface.close();
    await proxy.close();
    await execd.close();
    await around.end();
    assert.ok(frames.some(({ tool }) => tool.name === "POST /v1/isolated/session"));
  });
  for (const step of ISOLATED_MOUNTS) test(step.name, () => step.run(surface));
});

describe("what isolated sessions can be shown, gated", { concurrency: 4, skip }, () => {
  const ends: (() => unknown)[] = [];
  let around: Awaited<ReturnType<typeof openWorkspace>>;
  let gated: GatedExecd;
  let surface: Surface;
  let person: ReturnType<typeof allowAll>;
  before(async () => {
    around = await openWorkspace();
    const { workspace: directory, jail, isolator, env } = around.opened;
    const local = { directory, jail, isolator, env };
    gated = await openGated({ after: (end: () => unknown) => void ends.unshift(end) } as never, { local });
    person = allowAll(gated.server);
    surface = new Surface({ url: gated.url, token: TOKEN, directory, isGated: true });
  });
  after(async () => {
    await surface.close();
    await person.stop();
    for (const end of ends) await end();
    await around.end();
    for (const said of ["mode overlay", "readonly", "writable ", "uid 1234; gid 77; uid_mode userns"])
      assert.ok(
        person.asked.some((command) => /^sandbox:box-1 (session|files) made="/.test(command) && command.includes(said)),
        said,
      );
  });
  for (const step of ISOLATED_MOUNTS) test(step.name, () => step.run(surface));
});

test("an overlay that is full is told, by files as by commands", { skip }, async (t) => {
  const around = await openWorkspace(4 * 1024 * 1024);
  const { workspace: directory, jail, isolator, env } = around.opened;
  const execd = await startLocalExecd({ port: 0, directory, jail, isolator, env });
  const surface = new Surface({ url: execd.url, directory });
  t.after(async () => {
    await surface.close();
    await execd.close();
    await around.end();
  });
  const { isolation } = surface.sdk;
  assert.ok(isolation);
  await isolation.withSession({ workspace: { path: directory } }, async (session) => {
    const path = join(directory, "big");
    const writing = session.files.writeFiles([{ path, data: Buffer.alloc(8_000_000) }]);
    await assert.rejects(writing, { statusCode: 507 });
    await session.files.deleteFiles([path]);
    const run = await session.run("head -c 8000000 /dev/zero > big");
    assert.match(run.logs.stderr.map(({ text }) => text).join(), /No space left on device/);
  });
});
