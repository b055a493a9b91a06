import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DirectoryPool } from "./directory-pool.ts";

const skip = process.platform === "linux" ? false : "names are given without replacing on Linux only";

function scene(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "pool-"));
  t.after(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "root"));
  const { uid, gid } = statSync(dir);
  return {
    pool: new DirectoryPool(join(dir, "pool")),
    ready: join(dir, "pool"),
    at: join(dir, "root/x"),
    owner: { uid, gid },
  };
}

test("a directory is put, taken back and put again", { skip }, (t) => {
  const { pool, ready, at, owner } = scene(t);
  assert.equal(pool.put(at, owner), undefined);
  const { ino } = statSync(at);
  assert.equal(pool.takeBack(at), true);
  assert.deepEqual([readdirSync(join(at, "..")), readdirSync(ready).length], [[], 1]);
  assert.equal(pool.put(at, owner), undefined);
  assert.equal(statSync(at).ino, ino);
});

test("nothing is replaced, not even an empty directory", { skip }, (t) => {
  const { pool, at, owner } = scene(t);
  mkdirSync(at);
  const { ino } = statSync(at);
  assert.equal(pool.put(at, owner), "EEXIST");
  assert.equal(statSync(at).ino, ino);
  assert.equal(pool.takeBack(at), false);
});

test("what someone put into one stays there, also when it was removed again", { skip }, (t) => {
  const { pool, at, owner } = scene(t);
  pool.put(at, owner);
  writeFileSync(join(at, "theirs"), "x");
  assert.equal(pool.takeBack(at), false);
  assert.equal(readFileSync(join(at, "theirs"), "utf8"), "x");
});

test("what stands in its place isn't taken", { skip }, (t) => {
  for (const replace of [(at: string) => writeFileSync(at, "x"), (at: string) => symlinkSync(".", at), mkdirSync]) {
    const { pool, at, owner } = scene(t);
    pool.put(at, owner);
    rmdirSync(at);
    replace(at);
    assert.equal(pool.takeBack(at), false);
    assert.equal(readdirSync(join(at, "..")).length, 1);
  }
});

test("where none can be put, the error says so, and what is left of an earlier process is cleared", { skip }, (t) => {
  const { pool, ready, at, owner } = scene(t);
  assert.equal(pool.put(join(at, "deeper"), owner), "ENOENT");
  writeFileSync(join(ready, readdirSync(ready)[0] ?? "", "kept"), "x");
  mkdirSync(join(ready, "empty"));
  new DirectoryPool(ready);
  assert.equal(readdirSync(ready).length, 1);
});
