import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { alsoAsOrdinaryUser } from "../support/as-ordinary-user.ts";
import { besidesLimits } from "../support/limits-told.ts";
import { type Serving, scratch, startServing } from "../support/serve-fixture.ts";

const OPEN = { security: "full", ask: "off" };
const ID = "-c user.name=a -c user.email=a@b";
const ENV = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null" };

/** git outside of any jail. */
function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...ID.split(" "), ...args], { cwd, encoding: "utf8", env: ENV }).trimEnd();
}

function put(root: string, name: string, text = `in ${name}\n`): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** Undefined, and the reason is printed, where no jail can be built. */
async function jailed(t: TestContext, at = scratch(t, OPEN)): Promise<Serving | undefined> {
  const s = await startServing(t, { at });
  const { warnings } = (await s.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem === undefined) return s;
  t.skip(problem);
  return undefined;
}

test("hidden files that git tracks: git reads as if nothing were wrong, and no commit loses them", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  const run = async (command: string) => (await s.propose(command)).body;
  git(s.workspace, "init", "-q");
  const keys = Array.from({ length: 9 }, (_, n) => `crowd/${n}.key`);
  for (const name of ["a.txt", ".env", ".env.example", "tests/key.pem", ...keys]) put(s.workspace, name);
  git(s.workspace, "add", "-A");
  git(s.workspace, "commit", "-qm", "one");
  const told = (...names: string[]) =>
    new RegExp(`hides files that git tracks.*: ${names.map((name) => `${s.workspace}/${name}`).join(", ")}`);

  assert.equal((await run("cat .env.example")).stdout, "in .env.example\n");
  const clean = await run("git status --porcelain; git diff --stat");
  assert.deepEqual([clean.exitCode, clean.stdout, clean.stderr], [0, "", ""]);
  assert.match(clean.reason, told(".env", "crowd/0.key"));
  assert.equal(besidesLimits((await run("ls")).reason), undefined, "only git's commands are told");

  put(s.workspace, "a.txt", "changed\n");
  assert.equal((await run("git status --porcelain")).stdout, " M a.txt\n");
  for (const all of [`git ${ID} commit -qam all`, "git add -A", "git add -u", "git stash"]) {
    const { exitCode, reason } = await run(all);
    assert.notEqual(exitCode, 0, all);
    assert.match(reason, /It may have failed because of its jail \(workspace\): its jail hides .*\.env/, all);
  }
  const named = await run(`git add a.txt && git ${ID} commit -qm two`);
  assert.equal(named.exitCode, 0, named.stderr);
  assert.match(named.reason, told(".env", "crowd/0.key"));
  assert.equal(git(s.workspace, "show", "--name-status", "--format="), "M\ta.txt");
  assert.equal(git(s.workspace, "status", "--porcelain"), "");
});

test("what is held in place: the outcome says so, and how it can be changed; what is to be deleted isn't held", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  const run = async (command: string) => (await s.propose(command)).body;
  put(s.workspace, "old/.vscode/tasks.json");
  put(s.workspace, "old/file");
  put(s.workspace, "clean.sh", "rm -r old");
  const held = `holds in place what starts code \\(${s.workspace}/old/\\.vscode\\): a new proposal that names them`;
  for (const command of ["mv old new", "bash clean.sh"]) {
    const { exitCode, reason } = await run(command);
    assert.notEqual(exitCode, 0);
    assert.match(reason, new RegExp(held), command);
  }
  git(s.workspace, "init", "-q", "repository");
  for (const command of ["rm -r old", "rm -rf repository clean.sh"]) {
    const { exitCode, stderr, reason } = await run(command);
    assert.deepEqual([exitCode, stderr, besidesLimits(reason)], [0, "", undefined]);
  }
  assert.deepEqual(readdirSync(s.workspace), []);
  put(s.workspace, "secret/.env");
  assert.match((await run("mv secret other")).reason, /its jail hides .*\/secret\/\.env/);
});

test("hooks and settings in a repository that a git write made are taken away, and git's own are left", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  git(s.workspace, "init", "-q", "source");
  put(s.workspace, "source/file");
  git(join(s.workspace, "source"), "add", "-A");
  git(join(s.workspace, "source"), "commit", "-qm", "one");
  put(s.workspace, "hook", "#!/bin/sh\necho evil\n");
  const script = `
    cp hook new/.git/hooks/pre-commit
    git -C set config core.fsmonitor /workspace/hook
    mkdir -p set/.git/info && echo '* filter=x' > set/.git/info/attributes
    cp hook bare.git/hooks/post-receive
    mkdir -p away/objects away/refs away/hooks node_modules/lost/hooks points lost
    echo 'ref: refs/heads/x' > away/HEAD; cp hook away/hooks/post-checkout; echo 'gitdir: ../away' > points/.git
    cp -r away/. node_modules/lost; echo 'gitdir: ../node_modules/lost' > lost/.git
    mkdir -p source/.git/modules/sub/hooks; cp hook source/.git/modules/sub/hooks/update
    echo .. > new/.git/commondir
  `;
  put(s.workspace, "plant.sh", script);
  const made = "git init -q new && git init -q set && git init -q --bare bare.git && git clone -q source clone";
  const { exitCode, stderr, reason } = (await s.propose(`${made} && bash plant.sh`)).body;
  assert.deepEqual([exitCode, stderr], [0, ""]);
  const planted = [
    ...["new/.git/hooks/pre-commit", "new/.git/commondir", "set/.git/config", "set/.git/info/attributes"],
    ...["bare.git/HEAD", "away/HEAD", "lost/.git", "source/.git/modules/sub/hooks/update"],
  ];
  const left = planted.filter((name) => existsSync(join(s.workspace, name)));
  assert.deepEqual(left, [], reason);
  assert.match(reason, /It left what would start code, which was taken away: .*new\/\.git\/hooks\/pre-commit/);
  // What git made works.
  for (const name of ["new", "set", "clone"]) git(join(s.workspace, name), "status");
  assert.equal(git(join(s.workspace, "clone"), "log", "--format=%s"), "one");
  assert.equal(git(join(s.workspace, "clone"), "remote"), "origin");
  assert.ok(readdirSync(join(s.workspace, "new/.git/hooks")).every((name) => name.endsWith(".sample")));
});

/** The workspace is a worktree of a repository beside it, on a branch `linked`. */
function linked(t: TestContext, profile: object) {
  const at = scratch(t, profile);
  const main = join(at.dir, "main");
  mkdirSync(main);
  git(main, "init", "-q", "-b", "main");
  put(main, "file");
  git(main, "add", "-A");
  git(main, "commit", "-qm", "one");
  put(main, ".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
  rmSync(at.workspace, { recursive: true });
  git(main, "worktree", "add", "-q", "-b", "linked", at.workspace);
  return { at, main };
}

test("a linked worktree: git reads, and writes where that was allowed; hooks and settings stay as they are", async (t) => {
  const { at, main } = linked(t, OPEN);
  const s = await jailed(t, at);
  if (!s) return;
  const run = async (command: string) => (await s.propose(command)).body;
  const before = readFileSync(join(main, ".git/config"), "utf8");

  const read = await run("git log --format=%s; git status --porcelain; git branch --show-current");
  assert.deepEqual([read.exitCode, read.stdout, read.stderr], [0, "one\nlinked\n", ""]);
  put(s.workspace, "look.sh", `ls -A ${main}`);
  assert.equal((await run("bash look.sh")).stdout, ".git\n", "nothing else of the other worktree is shown");
  put(s.workspace, "write.sh", `echo x > ${main}/.git/made; echo x > ${main}/made; echo x >> ${main}/.git/config`);
  assert.notEqual((await run("bash write.sh")).exitCode, 0);

  put(s.workspace, "file", "changed\n");
  const commit = await run(`git add file && git ${ID} commit -qm two`);
  assert.equal(commit.exitCode, 0, commit.stderr);
  assert.equal(git(main, "log", "--format=%s", "linked"), "two\none");
  put(
    s.workspace,
    "plant.sh",
    `
    cd ${main}/.git
    echo x >> config; echo x > hooks/pre-commit; echo x > hooks/post-checkout; rm -rf hooks; mv hooks other
    mkdir -p info; echo '* filter=x' > info/attributes; echo x > config.worktree; echo x > worktrees/workspace/commondir
  `,
  );
  await run(`bash plant.sh; git ${ID} commit -q --allow-empty -m three`);
  assert.equal(readFileSync(join(main, ".git/config"), "utf8"), before);
  assert.equal(readFileSync(join(main, ".git/hooks/pre-commit"), "utf8"), "#!/bin/sh\nexit 0\n");
  const planted = ["hooks/post-checkout", "info/attributes", "config.worktree", "made"];
  assert.deepEqual(
    planted.filter((name) => existsSync(join(main, ".git", name))),
    [],
  );
  assert.equal(git(s.workspace, "log", "--format=%s"), "three\ntwo\none");
  assert.deepEqual(readdirSync(main).sort(), [".git", "file"]);
});

test("a preview of a git write in a linked worktree leaves the repository as it is", async (t) => {
  const { at, main } = linked(t, { ask: "always", timeoutMs: 600_000 });
  const s = await jailed(t, at);
  if (!s) return;
  put(s.workspace, "file", "changed\n");
  const before = git(main, "for-each-ref") + git(main, "count-objects", "-v");
  const running = s.propose(`git add file && git ${ID} commit -qm two`);
  const { approvalId } = await s.asked();
  const { body } = await s.call(`/api/v1/approvals/${approvalId}/preview`, { method: "POST" });
  assert.deepEqual(
    [body.outcome.kind, body.outcome.exitCode],
    ["exited", 0],
    body.outcome.stderr ?? body.outcome.reason,
  );
  const changed = body.changes.map(({ path }: { path: string }) => path);
  assert.ok(changed.includes(join(main, ".git/refs/heads/linked")), changed.join("\n"));
  assert.equal(git(main, "for-each-ref") + git(main, "count-objects", "-v"), before);
  await s.decide(approvalId, "allow-once");
  assert.equal((await running).body.exitCode, 0);
  assert.equal(git(main, "log", "--format=%s", "linked"), "two\none");
});

test("a .git file that points to a repository which doesn't know of it shows nothing of that", async (t) => {
  const at = scratch(t, OPEN);
  const main = join(at.dir, "main");
  mkdirSync(main);
  git(main, "init", "-q");
  git(main, "commit", "-q", "--allow-empty", "-m", "one");
  put(at.workspace, ".git", `gitdir: ${main}/.git\n`);
  const s = await jailed(t, at);
  if (!s) return;
  put(s.workspace, "look.sh", `git log; ls ${main}/.git`);
  const { exitCode, stdout } = (await s.propose("bash look.sh")).body;
  assert.notEqual(exitCode, 0);
  assert.equal(stdout, "");
});

alsoAsOrdinaryUser(import.meta.filename, "a linked worktree");
