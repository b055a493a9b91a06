import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FrameLog } from "./frame-log.ts";

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "cs-log-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const read = (dir: string) => {
  const { log, entries, damaged } = FrameLog.open(dir, "power-cut");
  return { log, damaged, entries: entries.map(({ number, content }) => [number, content.toString()]) };
};

test("what was appended is there again, in order, after a process that closed nothing", async (t) => {
  const dir = directory(t);
  const first = read(dir);
  assert.deepEqual([first.log.append(Buffer.from("a")), first.log.append(Buffer.from("b"))], [1, 2]);
  await first.log.sync();
  const second = read(dir);
  assert.deepEqual(second.entries, [
    [1, "a"],
    [2, "b"],
  ]);
  assert.equal(second.log.append(Buffer.from("c")), 3);
  const third = read(dir);
  assert.deepEqual(third.entries, [
    [1, "a"],
    [2, "b"],
    [3, "c"],
  ]);
  third.log.settle(3);
  await third.log.close();
  const fourth = read(dir);
  assert.deepEqual(fourth.entries, []);
  assert.equal(fourth.log.last, 3, "numbers go on");
});

test("a tail that was being written is cut off, also where a power cut left nothing but room for it", async (t) => {
  const dir = directory(t);
  const first = read(dir);
  for (const text of ["one", "two"]) first.log.append(Buffer.from(text));
  const [name = ""] = readdirSync(dir);
  const tails = [Buffer.from([0, 0, 0, 9, 1, 2, 3, 4, 5]), Buffer.alloc(100), Buffer.from([0])];
  for (const tail of tails) {
    appendFileSync(join(dir, name), tail);
    const { entries, damaged } = read(dir);
    assert.deepEqual({ entries, damaged }, { entries: texts("one", "two"), damaged: [] });
  }
});

const texts = (...list: readonly string[]) => list.map((text, at) => [at + 1, text]);

test("a byte that changed is told, with what it cost, in the last file as in any other; the rest is there", async (t) => {
  for (const isLast of [true, false]) {
    const dir = directory(t);
    const first = read(dir);
    for (const text of ["one", "two", "three"]) first.log.append(Buffer.from(text));
    const [name = ""] = readdirSync(dir);
    if (!isLast) read(dir).log.append(Buffer.from("four"));
    const path = join(dir, name);
    const bytes = readFileSync(path);
    const changed = (at: number) => {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ 0x40;
      writeFileSync(path, other);
      const { entries, damaged, log } = read(dir);
      return { texts: entries.map(([, text]) => text), damaged, last: log.last };
    };
    const rest = isLast ? [] : ["four"];
    const last = isLast ? 3 : 4;
    const content = changed(8);
    assert.deepEqual(content, { texts: ["two", "three", ...rest], damaged: [{ path, lost: [1] }], last });
    // Without its length nobody can tell which ones those behind it are.
    const length = changed(11);
    assert.deepEqual(length, { texts: ["one", ...rest], damaged: [{ path, lost: [2, 3] }], last });
  }
});

test("files go when all in them is settled, and not before", async (t) => {
  const dir = directory(t);
  const { log } = read(dir);
  const big = Buffer.alloc(400 * 1024);
  for (let n = 0; n < 9; n += 1) log.append(big);
  assert.equal(readdirSync(dir).length, 3);
  log.settle(2);
  assert.equal(readdirSync(dir).length, 3);
  log.settle(4);
  assert.deepEqual(readdirSync(dir).length, 2);
  log.settle(9);
  assert.equal(readdirSync(dir).length, 1);
  await log.close();
  assert.deepEqual(read(dir).entries, []);
});

test("many who wait for the disk share few waits, and all that they appended is there", async (t) => {
  const dir = directory(t);
  const { log } = read(dir);
  const entry = Buffer.alloc(10_000, "x");
  await Promise.all(
    Array.from({ length: 300 }, async () => {
      log.append(entry);
      await log.sync();
    }),
  );
  assert.equal(read(dir).entries.length, 300);
});
