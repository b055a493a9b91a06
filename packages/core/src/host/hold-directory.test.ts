import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { holdDirectory } from "./hold-directory.ts";

test("a held directory is entered, whatever has taken its name", { skip: process.platform !== "linux" }, (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-hold-")));
  t.after(() => rmSync(dir, { recursive: true }));
  const [wanted, other] = [join(dir, "wanted"), join(dir, "other")];
  for (const path of [wanted, other]) mkdirSync(path);
  const held = holdDirectory(wanted);
  assert(held);
  renameSync(wanted, join(dir, "moved"));
  symlinkSync(other, wanted);
  const { stdout } = spawnSync("/bin/pwd", { cwd: held.path, encoding: "utf8", env: {} });
  assert.equal(stdout, `${join(dir, "moved")}\n`);
  held.release();
  assert.equal(holdDirectory(wanted), undefined, "a link");
  rmSync(wanted);
  assert.equal(holdDirectory(wanted), undefined, "nothing");
  writeFileSync(wanted, "");
  assert.equal(holdDirectory(wanted), undefined, "a file");
});
