import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { JailError } from "../base/jail-error.ts";
import { findPlaces } from "../sensitive/find-places.ts";
import { hidePlaces, type PinFacts, pinPlaces } from "./pin-places.ts";

function workspace(t: TestContext, files: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pin-places-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  return root;
}

/** The steps, as `verb path-from-root`. */
async function pins(root: string, facts: Partial<PinFacts> = {}) {
  const places = await findPlaces(root, { home: "/home/u" });
  const writes = (facts.writes ?? []).map((path) => join(root, path));
  const masks = (facts.masks ?? []).map((path) => join(root, path));
  const { steps, opened, loose } = pinPlaces({ root, places, opensGit: false, removes: [], ...facts, writes, masks });
  const short = (path: string) => path.replace(`${root}/`, "");
  return {
    steps: steps.map((step) => `${step.do} ${short(step.path)}`),
    opened: opened.map(short),
    loose: loose.map(short).sort(),
  };
}

const REPOSITORY = [
  "src/main.ts",
  ".git/HEAD",
  ".git/config",
  ".git/hooks/pre-commit",
  ".git/hooks/pre-push",
  ".git/index",
];

test("git directories are closed; a git write opens them, but not what starts code", async (t) => {
  const root = workspace(t, REPOSITORY);
  assert.deepEqual((await pins(root)).steps, ["read-only .git"]);
  const open = ["pin .git", "read-only .git/config", "read-only .git/hooks"];
  assert.deepEqual((await pins(root, { opensGit: true })).steps, open);
});

test("every directory on the way is pinned, parents first, and nothing inside what is closed", async (t) => {
  const root = workspace(t, [
    "a/b/c/.vscode/x",
    "a/b/c/.vscode/y/.env",
    "a/b-c/.env",
    "a/b/.envrc",
    "a-b/.git/modules/s/config",
  ]);
  assert.deepEqual((await pins(root, { masks: ["a/b/.husky"] })).steps, [
    "pin a",
    "pin a/b",
    "read-only a/b/.envrc",
    "mask a/b/.husky",
    "pin a/b/c",
    "read-only a/b/c/.vscode",
    "hide a/b/c/.vscode/y/.env",
    "pin a/b-c",
    "hide a/b-c/.env",
    "pin a-b",
    "read-only a-b/.git",
  ]);
});

test("an approved write opens what it names and nothing else", async (t) => {
  const root = workspace(t, [
    ...REPOSITORY,
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/deep/a",
    ".vscode/deep/b",
  ]);
  const git = "read-only .git";
  assert.deepEqual((await pins(root, { writes: [".vscode"] })).steps, [git]);
  const whole = [git, "read-only .vscode"];
  // A directory around a place is no such name.
  assert.deepEqual((await pins(root, { writes: ["", ".vscod", ".vscode-x", ".."] })).steps, whole);
  assert.deepEqual(await pins(root, { writes: [".vscode/settings.json", ".vscode/deep/new"] }), {
    steps: [
      git,
      "pin .vscode",
      "pin .vscode/deep",
      "read-only .vscode/deep/a",
      "read-only .vscode/deep/b",
      "read-only .vscode/tasks.json",
    ],
    opened: [".vscode", ".vscode/deep"],
    loose: [],
  });
  const hook = await pins(root, { writes: [".git/hooks/pre-commit"] });
  assert.deepEqual(hook.steps, [
    "pin .git",
    "read-only .git/HEAD",
    "read-only .git/config",
    "pin .git/hooks",
    "read-only .git/hooks/pre-push",
    "read-only .git/index",
    "read-only .vscode",
  ]);
  const config = await pins(root, { writes: [".git/config"], opensGit: true });
  assert.deepEqual(config.steps, ["pin .git", "read-only .git/hooks", "read-only .vscode"]);
});

test("links can't be held: they are told, and what they lead to is closed", async (t) => {
  const root = workspace(t, [".git/HEAD", "shared/hooks/pre-commit", "up/x"]);
  symlinkSync("../shared/hooks", join(root, ".git/hooks"));
  symlinkSync("..", join(root, "up/.vscode"));
  symlinkSync("/etc", join(root, ".idea"));
  symlinkSync("nowhere", join(root, ".husky"));
  assert.deepEqual(await pins(root, { opensGit: true }), {
    steps: ["pin .git", "pin shared", "read-only shared/hooks", "pin up"],
    opened: [],
    loose: [".git/hooks", ".husky", ".idea", "up/.vscode"],
  });
});

test("a file that points to a git directory stays closed in a git write", async (t) => {
  const root = workspace(t, ["lib/.git"]);
  assert.deepEqual((await pins(root, { opensGit: true })).steps, ["pin lib", "read-only lib/.git"]);
});

test("many secrets in one directory hide it whole; too many places are refused", async (t) => {
  const keys = Array.from({ length: 600 }, (_, at) => `test/keys/${at}.key`);
  const root = workspace(t, [...keys, ".env"]);
  assert.deepEqual((await pins(root)).steps, ["hide .env", "pin test", "hide test/keys"]);
  const wide = workspace(
    t,
    Array.from({ length: 600 }, (_, at) => `d${at}/.env`),
  );
  await assert.rejects(pins(wide), (error) => error instanceof JailError && error.code === "TOO_MANY_PLACES");
});

test("what wasn't looked at is hidden; a workspace that wasn't is refused", async (t) => {
  const root = workspace(t, ["a/b/c/.env", "a/b/d/e"]);
  const places = await findPlaces(root, { home: "/home/u", limits: { depth: 2 } });
  const facts = { root, writes: [], removes: [], opensGit: false, masks: [] };
  assert.deepEqual(
    pinPlaces({ ...facts, places }).steps.map((step) => `${step.do} ${step.path.slice(root.length)}`),
    ["pin /a", "pin /a/b", "hide /a/b/c", "hide /a/b/d"],
  );
  for (const limits of [{ directories: 0 }, { depth: 2, unseen: 1 }]) {
    const unseen = await findPlaces(root, { home: "/home/u", limits });
    assert.throws(() => pinPlaces({ ...facts, places: unseen }), JailError);
  }
});

test("a read-only jail hides, and has nothing to pin", async (t) => {
  const root = workspace(t, [...REPOSITORY, "a/.env", "real/secret.txt"]);
  symlinkSync("../real/secret.txt", join(root, "a/.env.local"));
  mkdirSync(join(root, "b/.env"), { recursive: true });
  const hides = hidePlaces(root, await findPlaces(root, { home: "/home/u" }));
  assert.deepEqual(
    hides.sort((one, other) => (one.path < other.path ? -1 : 1)),
    [
      { do: "hide", path: join(root, "a/.env"), kind: "file" },
      { do: "hide", path: join(root, "b/.env"), kind: "directory" },
      { do: "hide", path: join(root, "real/secret.txt"), kind: "file" },
    ],
  );
});
