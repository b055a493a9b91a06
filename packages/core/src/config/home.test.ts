import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { homeAt, prepareHome } from "./home.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("the directories are made for this user alone, also where they were open", (t) => {
  const dir = join(realpathSync(tempDirectory(t)), "deep/home");
  const home = prepareHome(dir);
  assert.deepEqual(home, homeAt(dir));
  const folders = [home.dir, home.profiles, home.keys, home.run];
  assert.deepEqual(folders.map(modeOf), [0o700, 0o700, 0o700, 0o700]);
  for (const folder of folders.slice(1)) chmodSync(folder, 0o777);
  prepareHome(dir);
  assert.deepEqual(folders.map(modeOf), [0o700, 0o700, 0o700, 0o700]);
});

test("a home behind a link is known by its real path", (t) => {
  const dir = realpathSync(tempDirectory(t));
  mkdirSync(join(dir, "real"));
  symlinkSync(join(dir, "real"), join(dir, "link"));
  assert.equal(prepareHome(join(dir, "link")).dir, join(dir, "real"));
});

test("a home that can't be used is refused with what to do, and left as it is", (t) => {
  const dir = tempDirectory(t);
  writeFileSync(join(dir, "file"), "");
  mkdirSync(join(dir, "blocked"), { mode: 0o700 });
  writeFileSync(join(dir, "blocked/run"), "");
  mkdirSync(join(dir, "shared"));
  writeFileSync(join(dir, "shared/other"), "");
  chmodSync(join(dir, "shared"), 0o777);
  for (const name of ["file", "file/below", "blocked", "shared", "n".repeat(300), "nul\0"]) {
    assert.throws(
      () => prepareHome(join(dir, name)),
      { name: "StartError", code: "HOME_UNWRITABLE", message: /Set COUNTERSIGN_HOME to a directory that you own\.$/ },
      name,
    );
  }
  assert.equal(modeOf(join(dir, "shared")), 0o777);
  assert.deepEqual(readdirSync(join(dir, "shared")), ["other"]);
});
