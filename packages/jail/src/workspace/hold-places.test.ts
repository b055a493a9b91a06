import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { stepArguments } from "../bubblewrap/bwrap-arguments.ts";
import type { PlaceStep } from "../plan/jail-view.ts";
import { findPlaces } from "../sensitive/find-places.ts";
import { maskedNames } from "../sensitive/masked-names.ts";
import { pinPlaces } from "./pin-places.ts";
import { Placeholders } from "./placeholders.ts";

/** Root's jails are tried as someone else: root of a user namespace that maps to root could do more. */
const isRoot = process.geteuid?.() === 0;
const AS = isRoot ? { uid: 65534, gid: 65534 } : {};
const ENV = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

function inJail(root: string, steps: readonly PlaceStep[], script: string) {
  const args = [
    ...["--unshare-user", "--unshare-pid", "--cap-drop", "ALL", "--die-with-parent"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", root, root],
    ...steps.flatMap((step) => stepArguments(step, (path) => path)),
    ...["--chdir", root, "bash", "--noprofile", "--norc", "-c", script],
  ];
  return spawnSync("/usr/bin/bwrap", args, { ...AS, env: ENV, encoding: "utf8", cwd: "/" });
}

function whyNoJail(): string | false {
  const { error, status, stderr } = inJail("/", [], "true");
  if (error) return `bubblewrap isn't installed: ${error.message}`;
  return status !== 0 && `bubblewrap doesn't work here: ${stderr.trim()}`;
}

const skip = whyNoJail();

interface Scene {
  readonly root: string;
  /** Runs a script in a jail of the workspace; gives back what it printed. */
  run(script: string, facts?: { opensGit?: boolean; writes?: string[] }): Promise<string>;
}

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, ...AS, env: ENV, stdio: "pipe" });
}

const FILES = {
  "src/main.ts": "main",
  "package.json": "{}",
  ".vscode/settings.json": "settings",
  ".husky/pre-commit": "husky",
  "packages/a/.envrc": "envrc",
  "packages/a/b/.env": "SECRET=1",
  "shared/idea/x": "idea",
  ".env": "SECRET=2",
  "keys/private/x": "SECRET=3",
};

function scene(t: TestContext): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hold-places-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  chmodSync(base, 0o755);
  const root = join(base, "work space");
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  symlinkSync("shared/idea", join(root, ".idea"));
  const own = () => isRoot && execFileSync("chown", ["-Rh", "65534:65534", root]);
  own();
  for (const repository of [root, join(root, "packages/a")]) {
    git(repository, "init", "-q", "-b", "main");
    git(repository, "commit", "-q", "--allow-empty", "-m", "first");
  }
  const placeholders = new Placeholders(base);
  const run: Scene["run"] = async (script, { opensGit = false, writes = [] } = {}) => {
    const places = await findPlaces(root, { home: "/home/u" });
    const facts = { root, places, opensGit, removes: [], writes: writes.map((path) => join(root, path)) };
    const held = placeholders.hold(maskedNames(facts));
    try {
      const { steps } = pinPlaces({ ...facts, masks: held.masks });
      const { stdout, stderr, status } = inJail(root, steps, script);
      assert.equal(status, 0, stderr);
      return stdout;
    } finally {
      held.release();
    }
  };
  return { root, run };
}

/** What stands at the paths, with all that is in it; of ways to them only which directory it is. */
function snapshot(root: string, paths: readonly string[], ways: readonly string[]): string {
  const list = 'find "$@" -printf \'%p %y %m %i %l\\n\' | sort; find "$@" -type f -exec sha256sum {} + | sort';
  const inside = execFileSync("bash", ["-c", list, "bash", ...paths], { cwd: root, encoding: "utf8" });
  return inside + ways.map((way) => `${way} ${lstatSync(join(root, way)).ino}\n`).join("");
}

/** Tries each line by itself and prints those that succeeded. */
function attempts(lines: readonly string[]): string {
  return lines
    .map((line) => `( ${line} ) >/dev/null 2>&1 && echo ${quote(line)}`)
    .concat("true")
    .join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const PLACES = [
  ".git",
  ".git/hooks",
  ".git/config",
  ".vscode",
  ".vscode/settings.json",
  ".husky",
  "packages/a/.git",
  "packages/a/.git/config",
  "packages/a/.envrc",
];
const SECRETS = [".env", "packages/a/b/.env"];
const WAYS = ["packages", "packages/a", "packages/a/b"];
const ABSENT = [
  ".claude",
  ".mcp.json",
  ".devcontainer",
  ".envrc",
  ".countersign",
  "packages/a/.vscode",
  "packages/a/.cursor",
];

/** What would take a name away, or put something else there. */
const movers = (path: string) => {
  const at = quote(path);
  return [
    `mv -T ${at} moved && ! test -e ${at}`,
    `perl -e 'exit(rename($ARGV[0], "renamed") ? 0 : 1)' ${at}`,
    `rm -rf ${at} && ! test -e ${at}`,
    `rmdir ${at}`,
    `unlink ${at}`,
    `mkdir -p other && mv -fT other ${at}`,
    `echo x > other-file && mv -fT other-file ${at}`,
    `ln -sfnT src ${at}`,
    `ln -fT src/main.ts ${at}`,
    `perl -e 'exit(syscall(316, -100, $ARGV[0], -100, "src", 2) == 0 ? 0 : 1)' ${at}`,
    `mount --bind src ${at}`,
    `umount ${at}`,
    `umount -l ${at}`,
    `unshare -Urm umount ${at}`,
  ];
};

/** The mask's owner may change its times and mode: it is gone with the jail. */
const isWrite = (line: string) => !/^(chmod|touch) /.test(line);

const writers = (path: string) => [
  `echo x >> ${quote(path)}`,
  `echo x > ${quote(`${path}/new`)}`,
  `mkdir ${quote(`${path}/new`)}`,
  `echo x >> /proc/self/cwd/${quote(path)}`,
  `echo x > /proc/self/root"$PWD"/${quote(`${path}/new`)}`,
  `ln -sfn ${quote(path)} link && echo x > link/new`,
  `ln ${quote(path)} hard && echo x >> hard`,
  `cp src/main.ts ${quote(path)}`,
  `chmod 777 ${quote(path)}`,
  `touch ${quote(path)}`,
  `truncate -s 0 ${quote(path)}`,
];

test("what is tried below does succeed where nothing is held", { skip }, (t) => {
  const { root } = scene(t);
  for (const path of [".vscode", ".husky/pre-commit", "packages/a", ".mcp.json"]) {
    for (const tried of [movers(path), writers(path)])
      assert.notEqual(inJail(root, [], attempts(tried)).stdout, "", path);
  }
});

test("nothing that starts code can be changed, moved or replaced", { skip }, async (t) => {
  const { root, run } = scene(t);
  const before = snapshot(root, PLACES, WAYS);
  const tried = [...PLACES.flatMap((path) => [...movers(path), ...writers(path)]), ...WAYS.flatMap(movers)];
  assert.equal(await run(attempts(tried)), "");
  assert.equal(snapshot(root, PLACES, WAYS), before);
});

test("with git directories open, what starts code in them stays closed", { skip }, async (t) => {
  const { root, run } = scene(t);
  const closed = [".git/hooks", ".git/config", "packages/a/.git/hooks", "packages/a/.git/config"];
  const ways = [".git", "packages/a/.git", ...WAYS];
  const before = snapshot(root, closed, ways);
  const tried = [...closed.flatMap((path) => [...movers(path), ...writers(path)]), ...ways.flatMap(movers)];
  const planted = [".git/info/attributes", "packages/a/.git/info/attributes"].flatMap(writers).filter(isWrite);
  assert.equal(await run(attempts([...planted, ...tried]), { opensGit: true }), "");
  assert.equal(snapshot(root, closed, ways), before);
});

test("names that don't exist yet can't be made, and nothing is left of what held them", { skip }, async (t) => {
  const { root, run } = scene(t);
  const tried = ABSENT.flatMap((path) => [...movers(path), ...writers(path).filter(isWrite)]);
  assert.equal(await run(attempts(tried)), "");
  for (const path of ABSENT) assert.equal(existsSync(join(root, path)), false, path);
});

test("secrets can't be read, moved or carried away with what is around them", { skip }, async (t) => {
  const { root, run } = scene(t);
  const before = snapshot(root, SECRETS, WAYS);
  const readers = SECRETS.flatMap((path) => [
    `grep -q SECRET ${path}`,
    `cp ${path} copy && grep -q SECRET copy`,
    `ln ${path} hard && cat hard`,
  ]);
  const carriers = WAYS.map((way) => `mv -T ${way} node_modules && ! test -e ${way}`);
  assert.equal(await run(attempts([...readers, ...SECRETS.flatMap(movers), ...carriers])), "");
  assert.equal(await run("grep -rs SECRET . | grep -v '^./keys'; true"), "");
  assert.equal(snapshot(root, SECRETS, WAYS), before);
});

test("ordinary work goes on", { skip }, async (t) => {
  const { root, run } = scene(t);
  const script = `set -e
    echo new > src/new.ts; mkdir -p dist/deep; mv src/new.ts dist/deep/renamed.ts; ln -s dist link; ln src/main.ts hard; rm -r keys
    mkdir -p node_modules/.bin node_modules/x/.vscode; echo x > node_modules/x/index.js; ln -s ../x/index.js node_modules/.bin/x
    echo '{"a":1}' > package.json.tmp; mv package.json.tmp package.json; echo y > packages/a/b/other.ts; mkdir packages/c
    git status --porcelain | head -1; cat .vscode/settings.json; cat .git/HEAD`;
  assert.match(await run(script), /settings.*refs\/heads\/main/s);
  assert.equal(readFileSync(join(root, "package.json"), "utf8"), '{"a":1}\n');
});

test("git writes work where git directories are open", { skip }, async (t) => {
  const { root, run } = scene(t);
  const script = `set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    git add src package.json; git commit -qm second; git checkout -q -b other; echo z >> src/main.ts; git stash -q; git stash pop -q
    git commit -qam third; git tag v1; git gc -q; git checkout -q main; git merge -q other; git log --format=%s
    cd packages/a; echo x > f; git add f; git commit -qm nested; git log --format=%s`;
  assert.equal(await run(script, { opensGit: true }), "third\nsecond\nfirst\nnested\nfirst\n");
  git(root, "fsck", "--strict");
});

test("an approved write reaches what it names, and not its neighbours", { skip }, async (t) => {
  const { root, run } = scene(t);
  const writes = [".vscode/settings.json", ".vscode/new.json", ".mcp.json", ".git/hooks/pre-commit"];
  await run("echo approved | tee .vscode/settings.json .vscode/new.json .mcp.json .git/hooks/pre-commit", { writes });
  for (const path of writes) assert.equal(readFileSync(join(root, path), "utf8"), "approved\n", path);
  const tried = [".husky", ".git/config", "packages/a/.envrc", ".git/hooks/pre-push.sample"].flatMap((path) => [
    ...movers(path),
    ...writers(path),
  ]);
  assert.equal(await run(attempts(tried), { writes }), "");
});
