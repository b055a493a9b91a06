import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { realPathAsFarAsItExists } from "./real-path.ts";

test("links are followed as far as the path exists, and what can't be told isn't guessed", (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-path-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "real/deep"), { recursive: true });
  writeFileSync(join(dir, "real/file"), "");
  symlinkSync(join(dir, "real"), join(dir, "link"));
  symlinkSync("/nonexistent/target", join(dir, "dangling"));
  symlinkSync(join(dir, "loop-b"), join(dir, "loop-a"));
  symlinkSync(join(dir, "loop-a"), join(dir, "loop-b"));
  const table: [string, string | undefined][] = [
    [join(dir, "real"), join(dir, "real")],
    [`${dir}//real/./deep/../file`, join(dir, "real/file")],
    [join(dir, "link/file"), join(dir, "real/file")],
    [join(dir, "link/new"), join(dir, "real/new")],
    [join(dir, "link/new/newer/newest"), join(dir, "real/new/newer/newest")],
    [join(dir, "missing/a"), join(dir, "missing/a")],
    // Writing through it makes a file somewhere else.
    [join(dir, "dangling"), undefined],
    [join(dir, "dangling/x"), undefined],
    [join(dir, "loop-a"), undefined],
    [join(dir, "loop-a/x/y"), undefined],
    [join(dir, "real/file/below"), undefined],
    [join(dir, "n".repeat(300)), undefined],
    [`${dir}/nul\0`, undefined],
    ["/", "/"],
    ["/nonexistent", "/nonexistent"],
  ];
  for (const [path, expected] of table) assert.equal(realPathAsFarAsItExists(path), expected, path);
});

test("what leads each process to its own stays as it was typed", {
  skip: process.platform !== "linux" && "Linux only",
}, () => {
  for (const path of [
    "/proc/self",
    "/proc/self/status",
    "/proc/thread-self/comm",
    "/proc/mounts",
    "/proc/self/net/tcp",
  ])
    assert.equal(realPathAsFarAsItExists(path), path);
  assert.equal(realPathAsFarAsItExists("/proc/self/none/such"), "/proc/self/none/such");
  // What is named by its number is that process, and a link out of it leads out.
  assert.equal(realPathAsFarAsItExists(`/proc/${process.pid}/status`), `/proc/${process.pid}/status`);
  assert.equal(realPathAsFarAsItExists("/proc/self/root/etc"), realpathSync("/etc"));
});
