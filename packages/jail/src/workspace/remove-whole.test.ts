import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openClosed } from "@countersign/core/host/fs";
import { nodePath, pathFromBytes } from "@countersign/native";
import { removeWhole } from "./remove-whole.ts";

const ORDINARY = 54_321;

/** A directory of an ordinary user's, which this process is for one test: rights mean nothing to root. */
function ordinaryDirectory(t: TestContext): string {
  const base = mkdtempSync(join(tmpdir(), "countersign-remove-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chownSync(base, ORDINARY, ORDINARY);
    process.seteuid?.(ORDINARY);
  }
  t.after(() => {
    if (isRoot) process.seteuid?.(0);
    rmSync(base, { recursive: true, force: true });
  });
  return base;
}

test("what its owner has no right to any more is removed, and nothing behind a link is touched", async (t) => {
  const base = ordinaryDirectory(t);
  const outside = join(base, "outside");
  for (const path of ["outside/deep", "top/a/b/c", "top/a/empty", "top/read-only/in"])
    mkdirSync(join(base, path), { recursive: true });
  for (const path of ["outside/kept", "top/a/b/c/file", "top/read-only/in/file"]) writeFileSync(join(base, path), "");
  for (const path of ["top/link", "top/a/b/link"]) symlinkSync(outside, join(base, path));
  for (const path of ["outside", "top/a/b/c", "top/a/b", "top/a/empty", "top/a"]) chmodSync(join(base, path), 0);
  for (const path of ["top/read-only/in", "top/read-only", "top"]) chmodSync(join(base, path), 0o500);
  await removeWhole(join(base, "top"));
  assert.deepEqual(readdirSync(base), ["outside"]);
  assert.throws(() => readdirSync(outside), { code: "EACCES" });
  chmodSync(outside, 0o700);
  assert.deepEqual(readdirSync(outside).sort(), ["deep", "kept"]);
});

test("however deep it is, and whatever it is called", async (t) => {
  const base = ordinaryDirectory(t);
  const name = "d".repeat(200);
  const top = join(base, "top");
  mkdirSync(top);
  const strange = pathFromBytes(Buffer.from([0x66, 0xff]));
  let at = openClosed(top);
  for (let depth = 0; at !== undefined && depth < 60; depth += 1) {
    using above = at;
    for (const beside of [strange, "new\nline"]) writeFileSync(above.at(beside), "");
    mkdirSync(above.at(name));
    at = openClosed(above.at(name));
  }
  at?.[Symbol.dispose]();
  await removeWhole(top);
  assert.deepEqual(readdirSync(base), []);
});

test("one that isn't there is removed already; a link to one isn't one", async (t) => {
  const base = ordinaryDirectory(t);
  await removeWhole(join(base, "none"));
  mkdirSync(join(base, "outside/in"), { recursive: true });
  symlinkSync(join(base, "outside"), join(base, "link"));
  await assert.rejects(removeWhole(join(base, "link")), { code: "ENOTDIR" });
  assert.ok(existsSync(nodePath(join(base, "outside/in"))));
});
