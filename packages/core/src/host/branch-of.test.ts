import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { branchOf } from "./branch-of.ts";

test("the branch is read from git's files, of a worktree too, and nothing is made up", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "countersign-branch-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const git = (...words: string[]) => execFileSync("git", ["-C", dir, ...words], { stdio: "pipe" });
  git("init", "-q", "-b", "fix/login");
  assert.equal(branchOf(dir), "fix/login");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
  git("worktree", "add", "-q", "-b", "other", join(dir, "tree"));
  assert.equal(branchOf(join(dir, "tree")), "other");
  git("checkout", "-q", "--detach");
  assert.equal(branchOf(dir), undefined);
});

test("what isn't a repository, or holds something else, has no branch", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "countersign-branch-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  assert.equal(branchOf(dir), undefined);
  mkdirSync(join(dir, ".git"));
  execFileSync("mkfifo", [join(dir, ".git", "HEAD")]);
  assert.equal(branchOf(dir), undefined, "a pipe is not waited for");
  rmSync(join(dir, ".git", "HEAD"));
  writeFileSync(join(dir, ".git", "HEAD"), `ref: refs/heads/${"x".repeat(5_000)}\n`);
  assert.equal(branchOf(dir), undefined);
});
