import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { isInside } from "@countersign/core/host/fs";
import { TABLES } from "@countersign/policy";
import { HOME_ALLOWLIST } from "./home-allowlist.ts";
import { makeVisibleHome, type VisibleHome, visibleHome } from "./visible-home.ts";

function emptyHome(t: TestContext): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "visible-home-")));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function put(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, "secret");
  return path;
}

/** Whether a jail that shows and hides this much of a home lets a path be read. */
function sees({ shown, hidden }: VisibleHome, path: string): boolean {
  return shown.some((one) => isInside(path, one.path)) && !hidden.some((one) => isInside(path, one.path));
}

function pathsIn(home: string, shown: VisibleHome["shown"]): string[] {
  return shown.map(({ path }) => path).filter((path) => isInside(path, home));
}

/** A file that a rule covers. */
function spell(rule: string): string {
  return rule.replace(/\/\*\*$/, "/some/file").replaceAll("*", "x");
}

test("no secret of the policy's table can be seen in a home that has every one of them", (t) => {
  const home = emptyHome(t);
  for (const name of HOME_ALLOWLIST) put(join(home, name.includes(".git") ? name : `${name}/tool`));
  const own = TABLES.paths.SECRETS.filter(({ path }) => path.startsWith("~/")).map(({ path }) => spell(path.slice(2)));
  const anywhere = TABLES.paths.PROJECT_SECRETS.map(({ path }) => spell(path.slice(3)));
  const folders = HOME_ALLOWLIST.filter((name) => statSync(join(home, name)).isDirectory());
  const spread = ["", ".cargo", ".config/git"].flatMap((folder) => anywhere.map((name) => join(folder, name)));
  const deep = folders.flatMap((folder) => [join(folder, ".env"), join(folder, "sub/id_rsa")]);
  const secrets = [...own, ...spread, ...deep]
    .map((path) => join(home, path))
    // `.ssh/**` before `.ssh`, which is then a directory.
    .sort((one, other) => other.split("/").length - one.split("/").length)
    .filter((path) => !isDirectory(path) && put(path));
  assert.ok(secrets.length > 400);
  const view = visibleHome(home);
  assert.deepEqual(
    secrets.filter((path) => sees(view, path)),
    [],
  );
  assert.ok(sees(view, join(home, ".cargo/tool")) && sees(view, join(home, ".gitconfig")));
});

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

test("only what is listed is shown, and only what exists", (t) => {
  const home = emptyHome(t);
  for (const name of [
    ".gitconfig",
    ".cargo/bin/cargo",
    ".cargo/credentials.toml",
    ".unknown",
    ".bashrc",
    ".config/git/config",
    ".config/git/credentials",
    ".config/other",
  ])
    put(join(home, name));
  const { shown, hidden } = visibleHome(home);
  assert.deepEqual(
    pathsIn(home, shown).sort(),
    [".cargo", ".config/git", ".gitconfig"].map((name) => join(home, name)),
  );
  assert.deepEqual(hidden.map(({ path, kind }) => [path, kind]).sort(), [
    [join(home, ".cargo/credentials.toml"), "file"],
    [join(home, ".config/git/credentials"), "file"],
  ]);
  assert.deepEqual(makeVisibleHome(home)(), { shown, hidden });
});

test("a link is shown when it leads to something harmless, and its secrets are hidden in both places", (t) => {
  const home = emptyHome(t);
  const elsewhere = emptyHome(t);
  put(join(elsewhere, "cargo/.netrc"));
  put(join(home, ".ssh/id_rsa"));
  symlinkSync(join(elsewhere, "cargo"), join(home, ".cargo"));
  symlinkSync(".ssh/id_rsa", join(home, ".gitconfig"));
  symlinkSync(".ssh", join(home, ".nvm"));
  symlinkSync("/", join(home, ".rustup"));
  symlinkSync(".", join(home, ".volta"));
  symlinkSync("nowhere", join(home, ".bun"));
  const { shown, hidden } = visibleHome(home);
  assert.deepEqual(pathsIn(home, shown), [join(home, ".cargo")]);
  assert.equal(shown.find(({ path }) => isInside(path, home))?.source, join(elsewhere, "cargo"));
  assert.deepEqual(
    hidden.map(({ path }) => path).sort(),
    [join(elsewhere, "cargo/.netrc"), join(home, ".cargo/.netrc")].sort(),
  );
});

test("a listed directory with more in it than is looked at isn't shown", (t) => {
  const home = emptyHome(t);
  for (let at = 0; at <= 10; at += 1) put(join(home, `.nvm/${at}`));
  for (let at = 0; at < 10; at += 1) put(join(home, `.volta/${at}`));
  const { shown } = visibleHome(home, 10);
  assert.deepEqual(pathsIn(home, shown), [join(home, ".volta")]);
});
