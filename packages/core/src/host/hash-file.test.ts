import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sha256Hex } from "../base/sha256.ts";
import { FileHashes } from "./hash-file.ts";

function scratch(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-hash-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("every change of a file is noticed, also one that keeps its size and its time", async (t) => {
  const path = join(scratch(t), "file");
  const hashes = new FileHashes();
  assert.equal(await hashes.hash(path), undefined);
  writeFileSync(path, "one");
  utimesSync(path, 1, 1);
  assert.equal(await hashes.hash(path), sha256Hex("one"));
  assert.equal(await hashes.hash(path), sha256Hex("one"));
  writeFileSync(path, "two");
  utimesSync(path, 1, 1);
  assert.equal(await hashes.hash(path), sha256Hex("two"));
  writeFileSync(`${path}.new`, "six");
  utimesSync(`${path}.new`, 1, 1);
  renameSync(`${path}.new`, path);
  assert.equal(await hashes.hash(path), sha256Hex("six"));
  unlinkSync(path);
  assert.equal(await hashes.hash(path), undefined);
  writeFileSync(path, "");
  assert.equal(await hashes.hash(path), sha256Hex(""));
});

test("a file that is rewritten right after it was hashed isn't taken for the old one", async (t) => {
  const path = join(scratch(t), "file");
  const hashes = new FileHashes();
  for (let n = 100; n < 400; n += 1) {
    writeFileSync(path, `${n}`);
    assert.equal(await hashes.hash(path), sha256Hex(`${n}`));
  }
});

test("a link is hashed as what it leads to now", async (t) => {
  const dir = scratch(t);
  for (const name of ["a", "b"]) writeFileSync(join(dir, name), name);
  const link = join(dir, "link");
  const hashes = new FileHashes();
  for (const name of ["a", "b"]) {
    rmSync(link, { force: true });
    symlinkSync(join(dir, name), link);
    assert.equal(await hashes.hash(link), sha256Hex(name));
  }
});

test("many at once give one answer", async (t) => {
  const path = join(scratch(t), "file");
  writeFileSync(path, "x".repeat(300_000));
  const hashes = new FileHashes();
  const found = await Promise.all(Array.from({ length: 20 }, () => hashes.hash(path)));
  assert.deepEqual(new Set(found), new Set([sha256Hex("x".repeat(300_000))]));
});

test("what isn't a regular file has no hash; one too large to read is known by its stamp", async (t) => {
  const dir = scratch(t);
  const hashes = new FileHashes();
  mkdirSync(join(dir, "directory"));
  symlinkSync(join(dir, "loop"), join(dir, "loop"));
  writeFileSync(join(dir, "huge"), "");
  truncateSync(join(dir, "huge"), 1024 * 1024 * 1024 + 1);
  const fifo = spawnSync("mkfifo", [join(dir, "fifo")]);
  if (fifo.status !== 0) t.diagnostic("mkfifo is missing (install coreutils): the case of a pipe was left out");
  const huge = await hashes.hash(join(dir, "huge"));
  assert.match(huge ?? "", /^unread:/);
  assert.equal(await hashes.hash(join(dir, "huge")), huge);
  writeFileSync(join(dir, "huge"), "replaced");
  assert.notEqual(await hashes.hash(join(dir, "huge")), huge);
  for (const name of ["directory", "loop", "fifo", "missing", "nul\0"]) {
    assert.equal(await hashes.hash(join(dir, name)), undefined, name);
  }
  assert.equal(await hashes.hash("/dev/zero"), undefined);
});
