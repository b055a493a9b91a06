import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { type Child, type ChildRequest, spawnChild } from "./spawn-child.ts";

const REQUEST: ChildRequest = { file: "/bin/bash", args: [], env: {}, cwd: "/", descriptors: [], pipes: 0 };

function bash(script: string, request: Partial<ChildRequest> = {}): Promise<Child> {
  return spawnChild({ ...REQUEST, args: ["-c", script], ...request });
}

async function said(child: Child): Promise<string[]> {
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return [out, err];
}

const linuxOnly = process.platform === "linux" ? false : "only Linux starts children this way";

test("a child can open its own output by name, which a socket wouldn't let it", { skip: linuxOnly }, async () => {
  const child = await bash("echo out > /dev/stdout; echo err > /dev/stderr");
  assert.deepEqual(await said(child), ["out\n", "err\n"]);
  assert.deepEqual(await child.ended, { exitCode: 0 });
});

test("descriptors arrive in order, whatever their numbers are here, and nothing else does", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "child-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ["a", "b", "c"]) writeFileSync(join(dir, name), name);
  const opened = ["a", "b", "c"].map((name) => openSync(join(dir, name), "r"));
  // The highest first, so that each stands where another is to go.
  const descriptors = opened.toReversed();
  const child = await bash("for n in 3 4 5; do cat <&$n; done; echo; echo /proc/self/fd/*", { descriptors });
  for (const fd of opened) closeSync(fd);
  const [out = ""] = await said(child);
  const names = [..."012345"].map((n) => `/proc/self/fd/${n}`);
  assert.deepEqual(out.split("\n").slice(0, 2), [
    "cba",
    [...names, ...(out.match(/\/proc\/self\/fd\/6/) ?? [])].join(" "),
  ]);
  assert.deepEqual(await child.ended, { exitCode: 0 });
});

test("it tells on one pipe and waits on the other", async () => {
  const child = await bash('echo ready >&3; read -r go <&4; echo "$go"', { pipes: 2 });
  assert.equal(`${(await once(child.told as Child["stdout"], "data"))[0]}`, "ready\n");
  child.gate?.end("through\n");
  assert.deepEqual(await said(child), ["through\n", ""]);
});

test("signals are its own: none is ignored or blocked, and its end is told by name", async () => {
  const child = await bash("grep -E '^Sig(Blk|Ign)' /proc/self/status; kill -TERM $$");
  const [out = ""] = await said(child);
  // Node itself ignores SIGPIPE. 32 and up are the C library's own.
  for (const [, mask] of out.matchAll(/\t([0-9a-f]{16})/g)) assert.equal(BigInt(`0x${mask}`) & 0x7fff_ffffn, 0n, out);
  assert.deepEqual(await child.ended, { signal: "SIGTERM" });
});

test("many at once all end, and leave no descriptor and no listener", { skip: linuxOnly }, async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  await said(await bash("true"));
  const before = open();
  const ends = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const child = await bash(`exit ${at}`, { pipes: 1 });
      await Promise.all([said(child), text(child.told as Child["stdout"])]);
      return await child.ended;
    }),
  );
  assert.deepEqual(
    ends,
    Array.from({ length: 40 }, (_, at) => ({ exitCode: at })),
  );
  assert.equal(open(), before);
  assert.equal(process.listenerCount("SIGCHLD"), 0);
});

test("what can't be started says why by its code, and leaves no descriptor", { skip: linuxOnly }, async () => {
  const before = readdirSync("/proc/self/fd").length;
  const fails = async (request: Partial<ChildRequest>, code: string) =>
    await assert.rejects(spawnChild({ ...REQUEST, ...request }), { code });
  await fails({ file: "/nowhere/bash" }, "ENOENT");
  await fails({ cwd: "/nowhere" }, "ENOENT");
  await fails({ args: ["-c", "x".repeat(1_000_000)] }, "E2BIG");
  // A string ends at a zero: what would run isn't what was asked for.
  await fails({ args: ["-c", "echo a\0; rm b"] }, "EINVAL");
  await fails({ env: { A: "b\0c" } }, "EINVAL");
  assert.equal(readdirSync("/proc/self/fd").length, before);
});

test("in a thread, which gets no signals, it is Node that starts and waits", async () => {
  const script = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("./spawn-child.ts", import.meta.url).href)}).then(async ({ spawnChild }) => {
      const request = ${JSON.stringify({ ...REQUEST, args: ["-c", "echo said; echo told >&3; read -r go <&4; exit $go"], pipes: 2 })};
      const child = await spawnChild(request);
      const read = (stream) => stream.setEncoding("utf8").toArray().then((parts) => parts.join(""));
      child.gate.end("7\\n");
      parentPort.postMessage(await Promise.all([read(child.stdout), read(child.told), child.ended]));
    });`;
  const worker = new Worker(script, { eval: true });
  assert.deepEqual((await once(worker, "message"))[0], ["said\n", "told\n", { exitCode: 7 }]);
});
