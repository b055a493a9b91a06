import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { boundPaths, makeHostSockets, realSockets } from "./host-sockets.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "host-sockets-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

test("the kernel's list: names of files only, whatever else is in it", () => {
  const list = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/docker.sock",
    "0000000000000000: 00000002 00000000 00010000 0001 01   345 /run/with space and: colon",
    "0000000000000000: 00000003 00000000 00000000 0001 03 12346 /run/docker.sock",
    "0000000000000000: 00000002 00000000 00000000 0002 01 12347 /run/log",
    "0000000000000000: 00000002 00000000 00010000 0001 01 12348 @abstract",
    "0000000000000000: 00000002 00000000 00010000 0001 01 12348 relative/agent.sock",
    "0000000000000000: 00000003 00000000 00000000 0001 03  1146",
    "0000000000000000: 00000002 00000000 00010000 0001 01 12349 /run/\xff",
    "0000000000000000: 00000002 /run/broken",
    "/run/not-a-line",
    "",
  ].join("\n");
  assert.deepEqual(boundPaths(Buffer.from(list, "latin1")), [
    "/run/docker.sock",
    "/run/with space and: colon",
    "/run/log",
    "/run/\udcff",
  ]);
});

test("forged lines name no files that aren't sockets", () => {
  writeFileSync(join(scratch, "file"), "");
  assert.deepEqual(
    realSockets([join(scratch, "file"), scratch, "/", "/nowhere", `${scratch}/file/x`, `/${"x".repeat(300)}`]),
    [],
  );
});

test("a socket that listens is found by its real path", async (t) => {
  if (process.platform !== "linux") return t.skip("/proc/net/unix is Linux's");
  mkdirSync(join(scratch, "real"));
  symlinkSync("real", join(scratch, "link"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(scratch, "link/agent.sock"), resolve));
  try {
    assert.ok(makeHostSockets()().includes(join(scratch, "real/agent.sock")));
  } finally {
    server.close();
  }
});
