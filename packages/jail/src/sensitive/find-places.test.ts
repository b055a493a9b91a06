import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { type Clock, systemClock } from "@countersign/core/base";
import { bytesOfPath } from "@countersign/native";
import { findPlaces } from "./find-places.ts";
import { PlaceIndex } from "./place-index.ts";
import type { PlaceLimits } from "./places.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A clock by which everything on disk is old, so that the index relies on what it read. */
const later: Clock = { ...systemClock, wallMs: () => Date.now() + 60_000 };

function workspace(name: string, files: readonly string[]): string {
  const root = join(scratch, name);
  mkdirSync(root);
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    if (file.endsWith("/")) mkdirSync(join(root, file), { recursive: true });
    else writeFileSync(join(root, file), "");
  }
  return root;
}

/** What was found, as paths from the root. */
async function look(root: string, { index, ...limits }: Partial<PlaceLimits> & { index?: PlaceIndex } = {}) {
  const found = await findPlaces(root, { home: "/home/u", limits, clock: later, ...(index && { index }) });
  const short = (paths: readonly string[]) => paths.map((path) => path.replace(`${root}/`, "")).sort();
  return {
    secrets: short(found.secrets),
    startsCode: short(found.startsCode),
    gitDirectories: short(found.gitDirectories),
    bareRepositories: short(found.bareRepositories),
    sockets: short(found.sockets),
    complete: found.complete,
    unlisted: found.unlisted,
    unseen: found.unseen.map(({ path, code }) => `${path.replace(`${root}/`, "")} ${code}`).sort(),
  };
}

const NOBODY = 65534;

const NOTHING = {
  secrets: [],
  startsCode: [],
  gitDirectories: [],
  bareRepositories: [],
  sockets: [],
  complete: true,
  unseen: [],
  unlisted: 0,
};

test("secrets, places that start code and repositories are found at any depth", async () => {
  const root = workspace("depth", [
    ".env",
    ".env.example",
    "src/main.ts",
    "packages/a/.env.local",
    "packages/a/.vscode/settings.json",
    "packages/a/.vscode/.env",
    "keys/server.key",
    "keys/id_ed25519",
    "keys/id_ed25519.pub",
    ".husky/_/husky.sh",
    ".envrc",
    ".mcp.json",
    "node_modules/x/.env",
    "node_modules/x/.git/config",
    ".git/HEAD",
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/info/attributes",
    ".git/objects/.env",
    ".git/modules/lib/deep/config",
    ".git/modules/lib/deep/HEAD",
    ".git/modules/lib/deep/hooks/x",
    ".git/worktrees/w/commondir",
    ".git/worktrees/w/config.worktree",
    "lib/deep/.git",
    "nested/repo/.git/config",
    "bare/HEAD",
    "bare/objects/",
    "bare/refs/",
    "bare/config",
    "bare/sub/.env",
  ]);
  assert.deepEqual(await look(root), {
    ...NOTHING,
    secrets: [
      ".env",
      "bare/sub/.env",
      "keys/id_ed25519",
      "keys/server.key",
      "packages/a/.env.local",
      "packages/a/.vscode/.env",
    ],
    startsCode: [
      ".envrc",
      ".git/config",
      ".git/hooks",
      ".git/info/attributes",
      ".git/modules/lib/deep/config",
      ".git/modules/lib/deep/hooks",
      ".git/worktrees/w/commondir",
      ".git/worktrees/w/config.worktree",
      ".husky",
      ".mcp.json",
      "bare/config",
      "nested/repo/.git/config",
      "packages/a/.vscode",
    ],
    gitDirectories: [".git", "lib/deep/.git", "nested/repo/.git"],
    bareRepositories: ["bare"],
  });
});

test("links aren't followed; what a secret's link leads to is secret", async () => {
  const root = workspace("links", ["plain/settings.txt", "plain/other.txt", "outside-of-this/.env"]);
  symlinkSync("plain/settings.txt", join(root, ".env"));
  symlinkSync("..", join(root, "plain/loop"));
  symlinkSync("/", join(root, "plain/.env"));
  symlinkSync("nowhere", join(root, ".env.local"));
  symlinkSync("plain", join(root, ".vscode"));
  symlinkSync("plain", join(root, ".git"));
  assert.deepEqual(await look(root), {
    ...NOTHING,
    secrets: ["outside-of-this/.env", "plain/settings.txt"],
    startsCode: [".vscode"],
    gitDirectories: [".git"],
  });
});

test("sockets are found", async () => {
  const root = workspace("sockets", ["a/"]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, "a/agent.sock"), resolve));
  try {
    assert.deepEqual(await look(root), { ...NOTHING, sockets: ["a/agent.sock"] });
  } finally {
    server.close();
  }
});

test("a second walk reads only the directories that changed", async () => {
  const root = workspace("again", ["a/b/.env", "a/c/file", "d/file"]);
  const index = new PlaceIndex();
  const first = { ...NOTHING, secrets: ["a/b/.env"] };
  assert.deepEqual(await look(root, { index }), first);
  // No entry may be read, and none needs to be.
  assert.deepEqual(await look(root, { index, entries: 0 }), {
    ...first,
    secrets: [],
    complete: false,
    unseen: [`${root} too-many-entries`],
  });
  assert.deepEqual(await look(root, { index, entries: 1 }), first);
  writeFileSync(join(root, "a/c/.envrc"), "");
  renameSync(join(root, "d"), join(root, "a/d"));
  assert.deepEqual(await look(root, { index }), { ...first, startsCode: ["a/c/.envrc"] });
  rmSync(join(root, "a/b"), { recursive: true });
  assert.deepEqual(await look(root, { index }), { ...NOTHING, startsCode: ["a/c/.envrc"] });
});

test("a directory that changed a moment ago is read again, since its stamp may not tell the next change", async () => {
  const root = workspace("moment", ["a/.env"]);
  const index = new PlaceIndex();
  const find = (entries: number) => findPlaces(root, { home: "/home/u", index, limits: { entries } });
  await find(100);
  assert.deepEqual((await find(1)).unseen, [{ path: join(root, "a"), code: "too-many-entries" }]);
});

test("every limit has its code, and what wasn't looked at is named", async () => {
  const root = workspace("limits", ["a/b/c/.env", "a/b/x/.env", "many/1", "many/2", "many/3"]);
  assert.deepEqual((await look(root, { depth: 2 })).unseen, ["a/b/c too-deep", "a/b/x too-deep"]);
  assert.deepEqual(
    (await look(root, { directories: 2 })).unseen.map((one) => one.split(" ")[1]),
    ["too-many-directories"],
  );
  assert.deepEqual((await look(root, { entries: 4 })).unseen.length > 0, true);
  assert.deepEqual((await look(root, { timeMs: -1 })).unseen, [`${root} too-slow`]);
  const many = await look(root, { depth: 2, unseen: 1 });
  assert.deepEqual([many.complete, many.unseen.length, many.unlisted], [false, 1, 1]);
});

test("names that aren't UTF-8 are kept byte by byte", async () => {
  const root = workspace("bytes", ["new\nline/.env"]);
  const odd = Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from("/.env")]), "");
  const { secrets } = await findPlaces(root, { home: "/home/u" });
  assert.deepEqual(secrets.map(bytesOfPath).sort(Buffer.compare), [
    Buffer.from(`${root}/new\nline/.env`),
    Buffer.concat([odd, Buffer.from("/.env")]),
  ]);
});

test("20,000 entries in one directory", async () => {
  const root = workspace("wide", ["a/"]);
  execFileSync("bash", ["-c", "seq -f 'file%.0f.ts' 20000 | xargs touch; touch .env"], { cwd: join(root, "a") });
  assert.deepEqual(await look(root), { ...NOTHING, secrets: ["a/.env"] });
  const cut = await look(root, { entries: 1000 });
  assert.deepEqual([cut.complete, cut.unseen], [false, ["a too-many-entries"]]);
});

test("a path longer than the system takes is said to be too deep", async () => {
  const root = workspace("long", []);
  execFileSync(
    "bash",
    ["-c", `name=$(printf 'x%.0s' {1..250}); for i in {1..20}; do mkdir "$name" && cd "$name"; done`],
    { cwd: root },
  );
  const { complete, unseen } = await findPlaces(root, { home: "/home/u" });
  assert.deepEqual([complete, unseen.map(({ code }) => code)], [false, ["too-deep"]]);
});

test("what others closed to us is closed to a jail too; what we closed ourselves wasn't looked at", async () => {
  const root = workspace("closed", ["mine/.env", "theirs/.env"]);
  chmodSync(join(root, "mine"), 0);
  chmodSync(join(root, "theirs"), 0);
  const asRoot = process.geteuid?.() === 0;
  if (asRoot) {
    chmodSync(scratch, 0o755);
    chownSync(join(root, "mine"), NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  }
  try {
    const expected = asRoot ? ["mine unreadable"] : ["mine unreadable", "theirs unreadable"];
    assert.deepEqual(await look(root), { ...NOTHING, complete: false, unseen: expected });
  } finally {
    if (asRoot) process.seteuid?.(0);
    chmodSync(join(root, "mine"), 0o700);
    chmodSync(join(root, "theirs"), 0o700);
  }
});

test("a root that is gone, a file or a link has no places", async () => {
  const root = workspace("odd-roots", ["file"]);
  symlinkSync("/", join(root, "link"));
  for (const name of ["gone", "file", "file/x", "link"]) {
    assert.deepEqual(await look(join(root, name)), NOTHING, name);
  }
});

test("a tree that changes while it is walked", async () => {
  const root = workspace("storm", ["stays/.env"]);
  let over = false;
  const storm = (async () => {
    for (let round = 0; !over; round += 1) {
      mkdirSync(join(root, `d${round}/x/y`), { recursive: true });
      if (round > 3) rmSync(join(root, `d${round - 3}`), { recursive: true });
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const index = new PlaceIndex();
  for (let round = 0; round < 50; round += 1) {
    const [one, other] = await Promise.all([look(root, { index }), look(root, { index })]);
    assert.deepEqual(
      [one, other],
      [
        { ...NOTHING, secrets: ["stays/.env"] },
        { ...NOTHING, secrets: ["stays/.env"] },
      ],
    );
  }
  over = true;
  await storm;
});

test("the home's own places are found when the workspace holds the home", async () => {
  const root = workspace("homes", [
    "u/.ssh/id_rsa",
    "u/.ssh/known_hosts",
    "u/.bashrc",
    "u/.config/x/y",
    "u/src/.bashrc",
  ]);
  const found = await findPlaces(root, { home: join(root, "u") });
  assert.deepEqual(found.secrets, [join(root, "u/.ssh")]);
  assert.deepEqual(
    [...found.startsCode].sort(),
    [".bashrc", ".config", ".ssh"].map((name) => join(root, "u", name)),
  );
});
