import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { writeFileAtomically } from "./write-file-atomically.ts";

test("the new content replaces the old one, private, with nothing left beside it", async (t) => {
  const dir = tempDirectory(t);
  const path = join(dir, "file");
  writeFileSync(path, "old", { mode: 0o644 });
  await writeFileAtomically(path, "new ü\n");
  assert.deepEqual([readFileSync(path, "utf8"), statSync(path).mode & 0o777], ["new ü\n", 0o600]);
  assert.deepEqual(readdirSync(dir), ["file"]);
});

test("a link is replaced, not written through", async (t) => {
  const dir = tempDirectory(t);
  writeFileSync(join(dir, "target"), "theirs");
  symlinkSync(join(dir, "target"), join(dir, "link"));
  await writeFileAtomically(join(dir, "link"), "ours");
  assert.deepEqual(
    [readFileSync(join(dir, "target"), "utf8"), readFileSync(join(dir, "link"), "utf8")],
    ["theirs", "ours"],
  );
});

test("a reader sees one whole content or the other, and the last writer wins", async (t) => {
  const path = join(tempDirectory(t), "file");
  const contents = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(50_000));
  await writeFileAtomically(path, contents[0] ?? "");
  let writing = true;
  const all = Promise.all(contents.map((content) => writeFileAtomically(path, content))).finally(() => {
    writing = false;
  });
  while (writing) {
    assert.ok(contents.includes(readFileSync(path, "utf8")));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
});

test("what fails leaves the old file and nothing beside it", async (t) => {
  const dir = tempDirectory(t);
  mkdirSync(join(dir, "directory/full"), { recursive: true });
  await assert.rejects(writeFileAtomically(join(dir, "directory"), "x"), { code: "EISDIR" });
  await assert.rejects(writeFileAtomically(join(dir, "missing/file"), "x"), { code: "ENOENT" });
  assert.deepEqual(readdirSync(dir), ["directory"]);
});
