import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isWithinReach } from "./within-reach.ts";

const USER = { uid: 54_321, gid: 54_322 };
const skip = process.getuid?.() !== 0 && "needs root to give files away";

test("what a dropped user may read, write or enter is within its reach, if the way there is open", { skip }, (t) => {
  const dir = mkdtempSync(join(tmpdir(), "reach-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const [inner, file] = [join(dir, "inner"), join(dir, "inner/file")];
  mkdirSync(inner);
  writeFileSync(file, "");
  const reach = (modes: [dir: number, file: number], owner: [uid: number, gid: number] = [0, 0]) => {
    for (const path of [inner, file]) chownSync(path, ...owner);
    chmodSync(dir, 0o711);
    chmodSync(inner, modes[0]);
    chmodSync(file, modes[1]);
    return isWithinReach(file, USER);
  };
  assert.equal(reach([0o755, 0o644]), true);
  assert.equal(reach([0o755, 0o602]), true);
  assert.equal(reach([0o755, 0o640]), false);
  assert.equal(reach([0o750, 0o666]), false);
  assert.equal(reach([0o710, 0o640], [0, USER.gid]), true);
  assert.equal(reach([0o701, 0o604], [0, USER.gid]), false);
  assert.equal(reach([0o100, 0o400], [USER.uid, 0]), true);
  assert.equal(isWithinReach(join(inner, "absent"), USER), false);
});

test("runs of the hub's own user reach what it reaches", () => {
  assert.equal(isWithinReach("/etc/passwd", undefined), true);
  assert.equal(isWithinReach("/absent", undefined), false);
});
