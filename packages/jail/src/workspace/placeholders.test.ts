import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Placeholders } from "./placeholders.ts";

function scratch(t: TestContext): { root: string; state: string; list: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "placeholders-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [root, state] = [join(base, "root"), join(base, "state")];
  mkdirSync(root);
  mkdirSync(state);
  return { root, state, list: join(state, "placeholders.json") };
}

test("names are held by empty directories while someone holds them", (t) => {
  const { root, state, list } = scratch(t);
  const placeholders = new Placeholders(state);
  const [vscode, envrc] = [join(root, ".vscode"), join(root, ".envrc")];
  const one = placeholders.hold([vscode, vscode]);
  assert.deepEqual([one.masks, one.existing], [[vscode], []]);
  assert.deepEqual(JSON.parse(readFileSync(list, "utf8")), [vscode]);
  const other = placeholders.hold([vscode, envrc]);
  assert.deepEqual([other.masks, other.existing], [[vscode, envrc], []]);
  one.release();
  one.release();
  assert.deepEqual(readdirSync(root).sort(), [".envrc", ".vscode"]);
  assert.equal(placeholders.isHeld(vscode), true);
  other.release();
  assert.deepEqual(readdirSync(root), []);
  assert.equal(placeholders.isHeld(vscode), false);
  placeholders.close();
  assert.equal(existsSync(list), false);
});

test("what exists is someone else's, dangling links too; where nothing can be made nothing is", (t) => {
  const { root, state } = scratch(t);
  writeFileSync(join(root, ".envrc"), "");
  mkdirSync(join(root, ".vscode"));
  symlinkSync("nowhere", join(root, ".idea"));
  const names = [".envrc", ".vscode", ".idea", "missing/.husky", ".envrc/.git"];
  const held = new Placeholders(state).hold(names.map((name) => join(root, name)));
  assert.deepEqual(held.masks, []);
  assert.deepEqual(held.existing, [join(root, ".envrc"), join(root, ".vscode"), join(root, ".idea")]);
  held.release();
  assert.deepEqual(readdirSync(root).sort(), [".envrc", ".idea", ".vscode"]);
});

test("what someone put into one stays", (t) => {
  const { root, state } = scratch(t);
  const held = new Placeholders(state).hold([join(root, ".vscode"), join(root, ".husky")]);
  writeFileSync(join(root, ".vscode/settings.json"), "{}");
  rmSync(join(root, ".husky"), { recursive: true });
  writeFileSync(join(root, ".husky"), "a file");
  held.release();
  assert.equal(readFileSync(join(root, ".vscode/settings.json"), "utf8"), "{}");
  assert.equal(readFileSync(join(root, ".husky"), "utf8"), "a file");
});

test("the next start removes what a crash left, and nothing else", (t) => {
  const { root, state, list } = scratch(t);
  new Placeholders(state).hold([join(root, ".vscode"), join(root, ".idea")]);
  writeFileSync(join(root, ".idea/kept"), "");
  mkdirSync(join(root, "src"));
  const listed = JSON.parse(readFileSync(list, "utf8"));
  writeFileSync(
    list,
    JSON.stringify([...listed, join(root, "src"), 7, "relative/.vscode", join(root, "gone/.vscode")]),
  );
  new Placeholders(state);
  assert.deepEqual(readdirSync(root).sort(), [".idea", "src"]);
  assert.equal(existsSync(list), false);
});

test("names of earlier runs stay listed, and a directory that somebody makes there since is theirs", (t) => {
  const { root, state, list } = scratch(t);
  const placeholders = new Placeholders(state);
  const [vscode, envrc] = [join(root, ".vscode"), join(root, ".envrc")];
  placeholders.hold([vscode]).release();
  const written = lstatSync(list).ino;
  placeholders.hold([vscode]).release();
  assert.equal(lstatSync(list).ino, written, "it isn't written again");
  placeholders.hold([envrc]);
  assert.deepEqual(JSON.parse(readFileSync(list, "utf8")), [envrc, vscode]);
  mkdirSync(vscode);
  new Placeholders(state);
  assert.deepEqual(readdirSync(root), [".vscode"]);
});

test("half a list, or one that is no list, is no reason to fail", (t) => {
  const { state, list } = scratch(t);
  for (const text of ['["/a/.vsc', "{}", "null", ""]) {
    writeFileSync(list, text);
    new Placeholders(state);
    assert.equal(existsSync(list), false, text);
  }
});

test("a placeholder belongs to whom its directory belongs", (t) => {
  const { root, state } = scratch(t);
  const held = new Placeholders(state).hold([join(root, ".vscode")]);
  assert.equal(lstatSync(join(root, ".vscode")).uid, lstatSync(root).uid);
  held.release();
  assert.equal(existsSync(join(root, ".vscode")), false);
});
