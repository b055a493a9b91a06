import assert from "node:assert/strict";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findDroppedUser } from "./dropped-user.ts";

const ROOT = "root:x:0:0:root:/root:/bin/bash";
const NOBODY = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin";
const OWN = "countersign:x:990:991::/nonexistent:/usr/sbin/nologin";

function scratch(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-user-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function found(t: TestContext, lines: readonly string[], facts: { configured?: string; roots?: string[] } = {}) {
  const passwdFile = join(scratch(t), "passwd");
  writeFileSync(passwdFile, `${lines.join("\n")}\n`);
  return findDroppedUser({ roots: [], ...facts, passwdFile });
}

test("the configured user, else our own, else nobody", (t) => {
  const nobody = { name: "nobody", uid: 65534, gid: 65534 };
  const own = { name: "countersign", uid: 990, gid: 991 };
  assert.deepEqual(found(t, [ROOT, NOBODY]), nobody);
  assert.deepEqual(found(t, [ROOT, NOBODY, OWN]), own);
  assert.deepEqual(found(t, [ROOT, OWN, NOBODY], { configured: "nobody" }), nobody);
  assert.equal(found(t, [ROOT, "someone:x:1000:1000::/home/someone:/bin/bash"]), undefined);
});

test("when the configured user can't be taken, no other is taken in its place", (t) => {
  for (const configured of ["absent", "root", ""])
    assert.equal(found(t, [ROOT, NOBODY, OWN], { configured }), undefined);
});

test("neither root under another name nor root's group", (t) => {
  for (const ids of ["0:991", "990:0", "00:991", "0:0"]) {
    const line = `countersign:x:${ids}::/:/bin/sh`;
    assert.equal(found(t, [line]), undefined, ids);
    assert.equal(found(t, [line, NOBODY])?.name, "nobody", ids);
  }
});

test("a line that the system wouldn't take for a user isn't one", (t) => {
  const lines = [
    "",
    "#countersign:x:990:991::/:/bin/sh",
    "+countersign:x:990:991::/:/bin/sh",
    "countersign",
    "countersign:x:990:991",
    "countersign:x:-1:991::/:/bin/sh",
    "countersign:x:65535:991::/:/bin/sh",
    "countersign:x:4294967295:991::/:/bin/sh",
    "countersign:x:4294967296:991::/:/bin/sh",
    "countersign:x:0x10:991::/:/bin/sh",
    "countersign:x:1e3:991::/:/bin/sh",
    "countersign:x: 990:991::/:/bin/sh",
    "countersign:x:990:::/:/bin/sh",
    "countersign:x:990:991::/:/bin/sh:more",
  ];
  for (const line of lines) assert.equal(found(t, [line]), undefined, line);
  assert.equal(findDroppedUser({ roots: [], passwdFile: join(scratch(t), "absent") }), undefined);
});

test("of two lines with one name the first counts, as for the system", (t) => {
  assert.equal(found(t, ["countersign:x:0:0::/:/bin/sh", OWN]), undefined);
});

test("a user that owns a root isn't dropped to", { skip: process.getuid?.() !== 0 && "needs root" }, (t) => {
  const root = join(scratch(t), "root");
  mkdirSync(root);
  chownSync(root, 990, 0);
  assert.equal(found(t, [OWN], { roots: [root] }), undefined);
  assert.equal(found(t, [OWN, NOBODY], { roots: [root, "/nonexistent", "nul\0"] })?.name, "nobody");
  assert.equal(found(t, [OWN, NOBODY], { roots: [root], configured: "countersign" }), undefined);
});
