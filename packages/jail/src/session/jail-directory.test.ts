import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { removeWhole } from "../workspace/remove-whole.ts";
import { JailDirectory, removeLeftBehind } from "./jail-directory.ts";

/** Makes one, with a file in it that its owner can't get at, tells where, and stays. */
const HOLDER = `
  const { JailDirectory } = await import(process.argv[1]);
  const { mkdirSync, writeFileSync, chmodSync } = await import("node:fs");
  globalThis.held = JailDirectory.make(console);
  mkdirSync(held.path + "/tmp/q", { recursive: true });
  writeFileSync(held.path + "/tmp/q/z", "");
  chmodSync(held.path + "/tmp/q", 0);
  process.stdout.write(held.path);
  setInterval(() => {}, 1000);
`;

/** Where this process and those that it starts have their temporary files, for one test. */
function temporaryFor(t: TestContext): string {
  const { TMPDIR } = process.env;
  const base = realpathSync(mkdtempSync("/var/tmp/countersign-left-"));
  process.env.TMPDIR = base;
  t.after(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await removeWhole(base);
  });
  return base;
}

async function makeNetworkNamespace(t: TestContext): Promise<{ path: string; kill(): Promise<void> }> {
  const source = new URL("./jail-directory.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  t.after(kill);
  const [path] = await once(child.stdout, "data");
  return { path: String(path), kill };
}

/** In a process of its own. */
async function runRemoval(t: TestContext): Promise<void> {
  const script = `
    const { removeLeftBehind } = await import(process.argv[1]);
    const log = () => undefined;
    await removeLeftBehind({ info: log, warn: log, error: log });`;
  const source = new URL("./jail-directory.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, source], { stdio: "inherit" });
  t.after(() => child.kill("SIGKILL"));
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
}

test("what a process that was killed left behind is removed, and what anybody still has isn't", async (t) => {
  const base = temporaryFor(t);
  const [killed, alive] = await Promise.all([makeNetworkNamespace(t), makeNetworkNamespace(t)]);
  const own = JailDirectory.make(silentLog);
  await removeLeftBehind(silentLog);
  const held = [killed.path, alive.path, own.path].map((path) => basename(path));
  assert.deepEqual(readdirSync(base).sort(), held.toSorted());
  await killed.kill();
  await removeLeftBehind(silentLog);
  assert.deepEqual(readdirSync(base).sort(), held.slice(1).sort());
  assert.ok(existsSync(join(alive.path, "tmp")));
  // Looking hasn't loosened its own: another process would see that.
  await runRemoval(t);
  assert.deepEqual(readdirSync(base).sort(), held.slice(1).sort());
  await own.remove();
  assert.deepEqual(readdirSync(base), [basename(alive.path)]);
});

test("nothing is removed that isn't surely one of ours, left behind", async (t) => {
  const base = temporaryFor(t);
  const left = (name: string, mode = 0o700) => {
    mkdirSync(join(base, name, "tmp"), { recursive: true });
    writeFileSync(join(base, name, "lock"), "");
    chmodSync(join(base, name), mode);
    return join(base, name);
  };
  left("countersign-jail-left");
  left("countersign-jail-open", 0o755);
  left("another's-jail");
  rmSync(join(left("countersign-jail-unlocked"), "lock"));
  const beginning = left("countersign-jail-beginning");
  rmSync(join(beginning, "lock"));
  writeFileSync(join(beginning, "lock.new"), "");
  const linked = left("countersign-jail-linked-lock");
  rmSync(join(linked, "lock"));
  symlinkSync("/dev/null", join(linked, "lock"));
  symlinkSync(left("target"), join(base, "countersign-jail-link"));
  writeFileSync(join(base, "countersign-jail-file"), "");
  if (process.getuid?.() === 0) chownSync(left("countersign-jail-of-another"), 54_321, 54_321);
  const before = readdirSync(base, { recursive: true });
  const warned: object[] = [];
  await removeLeftBehind({ ...silentLog, warn: (fields) => void warned.push(fields) });
  const after = before.filter((name) => !String(name).startsWith("countersign-jail-left"));
  assert.deepEqual(readdirSync(base, { recursive: true }).sort(), after.sort());
  assert.deepEqual(warned, []);
});

test("what can't be removed is told, nobody fails because of it, and the next may try again", async (t) => {
  const base = temporaryFor(t);
  const warned: object[] = [];
  const directory = JailDirectory.make({ ...silentLog, warn: (fields) => void warned.push(fields) });
  // A directory can't be unlinked.
  const name = basename(directory.path);
  mkdirSync(join(directory.path, "tmp"));
  rmSync(join(directory.path, "lock"));
  mkdirSync(join(directory.path, "lock"));
  await directory.remove();
  assert.deepEqual(
    warned.map((fields) => (fields as { path: string }).path),
    [join(base, name)],
  );
  rmSync(join(base, name, "lock"), { recursive: true });
  writeFileSync(join(base, name, "lock"), "");
  await removeLeftBehind(silentLog);
  assert.deepEqual(readdirSync(base), []);
});
