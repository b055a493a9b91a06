import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { skipInIndex } from "./skip-in-index.ts";

const FILES = ["a.txt", "a much longer name than the others have.txt", "keys/one.pem", "keys/two.pem", "z/ü.pem"];
const isKey = (path: string) => path.endsWith(".pem");

function repository(t: TestContext, ...init: string[]) {
  const dir = mkdtempSync(join(tmpdir(), "countersign-index-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: dir, encoding: "utf8", env: ENV }).trimEnd();
  git("init", "-q", ...init);
  for (const name of FILES) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), `in ${name}\n`);
  }
  git("add", "-A");
  const file = join(dir, ".git/index");
  return {
    dir,
    git,
    file,
    skip: () => skipInIndex(readFileSync(file), isKey, Math.floor(statSync(file).mtimeMs / 1000)),
  };
}

const ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

for (const form of ["sha1", "sha256"]) {
  test(`git reads it, and leaves what is skipped alone (${form})`, (t) => {
    const { dir, git, file, skip } = repository(t, `--object-format=${form}`);
    git("commit", "-qm", "one");
    const skipped = skip();
    assert.deepEqual(
      skipped?.paths.map((path) => Buffer.from(path, "latin1").toString()),
      FILES.filter(isKey),
    );
    writeFileSync(file, skipped?.index ?? "");
    assert.equal(
      git("-c", "core.quotePath=false", "ls-files", "-t"),
      tagged((path) => (isKey(path) ? "S" : "H")),
    );
    for (const name of FILES) rmSync(join(dir, name));
    assert.equal(git("status", "--porcelain"), ' D "a much longer name than the others have.txt"\n D a.txt');
    git("fsck", "--strict");
    // What is skipped already stays so, and what comes out is the same again.
    assert.ok(skip()?.index.equals(skipped?.index ?? Buffer.alloc(0)));
  });
}

test("a file that was changed as late as the index was written is looked at", (t) => {
  const { dir, git, file, skip } = repository(t);
  git("commit", "-qm", "one");
  const at = new Date(Math.floor(statSync(file).mtimeMs / 1000) * 1000);
  const changed = join(dir, "a.txt");
  utimesSync(changed, at, at);
  git("update-index", "--refresh");
  utimesSync(file, at, at);
  // The same size and time: only its contents tell.
  writeFileSync(changed, "IN a.txt\n");
  utimesSync(changed, at, at);
  const { index = Buffer.alloc(0) } = skip() ?? {};
  writeFileSync(file, index);
  const later = new Date(at.getTime() + 60_000);
  utimesSync(file, later, later);
  assert.equal(git("-c", "core.trustctime=false", "-c", "core.checkStat=minimal", "status", "--porcelain"), " M a.txt");
});

test("an index of another form, a cut one and one without such files are left as they are", (t) => {
  const { git, file, skip } = repository(t);
  const index = readFileSync(file);
  for (let length = 0; length < index.length; length += 7) {
    assert.equal(skipInIndex(index.subarray(0, length), isKey, 0), undefined, `${length}`);
  }
  assert.equal(
    skipInIndex(index, () => false, 0),
    undefined,
  );
  git("update-index", "--index-version", "4");
  assert.equal(skip(), undefined);
  git("update-index", "--index-version", "2");
  git("update-index", "--split-index");
  assert.equal(skip(), undefined);
});

function tagged(tag: (path: string) => string): string {
  return [...FILES]
    .sort()
    .map((path) => `${tag(path)} ${path}`)
    .join("\n");
}
