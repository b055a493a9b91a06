import assert from "node:assert/strict";
import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findFile } from "./find-file.ts";
import { openFiles } from "./open-files.ts";

const skip = process.platform === "linux" ? false : "files are opened in a jail, which needs Linux";

function directory(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "cs-open-files-")));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** As it would be planned now. */
function planned(path: string): Record<string, string> {
  const found = findFile(path);
  assert(found.kind !== "unfit");
  return { [path]: found.identity };
}

test("openFiles opens no other file than the one that was approved", { skip }, (t) => {
  const dir = directory(t);
  const path = join(dir, "file");
  writeFileSync(path, "");
  const approved = planned(path);
  openFiles(approved).release();
  writeFileSync(join(dir, "other"), "");
  renameSync(join(dir, "other"), path);
  assert.throws(() => openFiles(approved), { code: "OPENING_CHANGED" });
});

test("openFiles removes a file that it made when the run never started", { skip }, (t) => {
  const path = join(directory(t), "made");
  const files = openFiles(planned(path));
  assert.ok(existsSync(path));
  files.release();
  assert.ok(!existsSync(path));
});

test("openFiles leaves an empty file that it made when the run started", { skip }, (t) => {
  const path = join(directory(t), "made");
  const files = openFiles(planned(path));
  files.started();
  files.release();
  assert.ok(existsSync(path));
});

test("openFiles leaves what others put in the place of a file that it made", { skip }, (t) => {
  const dir = directory(t);
  const path = join(dir, "made");
  const replaced = openFiles(planned(path));
  writeFileSync(join(dir, "other"), "");
  renameSync(join(dir, "other"), path);
  replaced.release();
  assert.ok(existsSync(path));
  rmSync(path);
  const written = openFiles(planned(path));
  writeFileSync(path, "x");
  written.release();
  assert.ok(existsSync(path));
});

test("openFiles makes nothing when one of the files isn't what was approved", { skip }, (t) => {
  const dir = directory(t);
  const [made, replaced] = [join(dir, "made"), join(dir, "replaced")];
  writeFileSync(replaced, "");
  const opens = { ...planned(made), ...planned(replaced) };
  rmSync(replaced);
  symlinkSync("made", replaced);
  assert.throws(() => openFiles(opens), { code: "OPENING_CHANGED" });
  assert.ok(!existsSync(made));
});

test("areIn is false when the process sees another file, a link or nothing there", { skip }, (t) => {
  const dir = directory(t);
  const path = join(dir, "file");
  writeFileSync(path, "");
  const files = openFiles(planned(path));
  t.after(() => files.release());
  assert.ok(files.areIn(process.pid));
  renameSync(path, join(dir, "moved"));
  assert.ok(!files.areIn(process.pid));
  symlinkSync("moved", path);
  assert.ok(!files.areIn(process.pid));
  rmSync(path);
  writeFileSync(path, "");
  assert.ok(!files.areIn(process.pid));
  renameSync(join(dir, "moved"), path);
  assert.ok(files.areIn(process.pid));
});
