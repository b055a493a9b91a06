import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { bytesOfPath, pathFromBytes } from "@countersign/native";
import { JailError } from "../base/jail-error.ts";
import { PlaceIndex } from "../sensitive/place-index.ts";
import { Stamper } from "./entry-stamp.ts";
import { type GuardFacts, NOTHING, WorkspaceGuards } from "./guard-workspace.ts";
import { OpenLooks } from "./open-looks.ts";
import { Placeholders } from "./placeholders.ts";
import { quarantine } from "./quarantine.ts";

const MODES = { mode: 0o644 };
/** As git makes it. */
const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n# a remark\n";

function scene(t: TestContext, files: readonly string[] = [], at = tmpdir()) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "guard-")));
  const away = realpathSync(mkdtempSync(join(at, "guard-state-")));
  t.after(() => {
    for (const path of [base, away]) rmSync(path, { recursive: true, force: true });
  });
  const root = join(base, "root");
  const put = (name: string, text = `in ${name}`) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text, MODES);
  };
  mkdirSync(root);
  for (const file of files) put(file);
  const placeholders = new Placeholders(base);
  const quarantineDirectory = join(away, "quarantine");
  const guards = new WorkspaceGuards({
    index: new PlaceIndex(),
    stamper: new Stamper(),
    looks: new OpenLooks(base),
    quarantineDirectory,
  });
  const guard = (facts: Partial<GuardFacts> = {}) => {
    const full = (paths: readonly string[] = []) => paths.map((path) => join(root, path));
    const changes = { writes: full(facts.writes), removes: full(facts.removes) };
    return guards.guard({ root, home: "/home/u", writable: true, opensGit: false, ...facts, ...changes }, placeholders);
  };
  return { root, base, put, guard, quarantineDirectory };
}

const short = (root: string) => (one: { path: string }) => one.path.slice(root.length + 1);

test("what a run planted is taken away, whatever it is, with a manifest", async (t) => {
  const { root, put, guard, quarantineDirectory } = scene(t, ["src/main.ts", ".vscode/settings.json"]);
  const run = await guard();
  put("a/.vscode/tasks.json");
  put("a/.vscode/deep/b");
  put("sub/.envrc", "evil");
  put("venv/lib/site-packages/evil.pth");
  put("other/.git/config");
  put("other/kept.ts");
  put("new\nline/.envrc");
  mkdirSync(join(root, "link"));
  symlinkSync("/etc", join(root, "link/.cursor"));
  mkdirSync(join(root, "pipe"));
  execFileSync("mkfifo", [join(root, "pipe/.envrc")]);
  const odd = pathFromBytes(Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff])]));
  mkdirSync(bytesOfPath(odd));
  writeFileSync(bytesOfPath(`${odd}/.mcp.json`), "");
  const { quarantined, failed, unseen } = await run.finish("run-1");
  assert.deepEqual([failed, unseen], [[], []]);
  assert.deepEqual(quarantined.map(short(root)).sort(), [
    "a/.vscode",
    "link/.cursor",
    "new\nline/.envrc",
    "odd\udcff/.mcp.json",
    "other/.git",
    "pipe/.envrc",
    "sub/.envrc",
    "venv/lib/site-packages/evil.pth",
  ]);
  for (const { path, at } of quarantined) {
    assert.equal(existsSync(bytesOfPath(path)), false, path);
    assert.ok(at.startsWith(join(quarantineDirectory, "run-1/")) && lstatSync(bytesOfPath(at)), at);
  }
  assert.deepEqual(readdirSync(root).sort(), [
    ".vscode",
    "a",
    "link",
    "new\nline",
    "odd\ufffd",
    "other",
    "pipe",
    "src",
    "sub",
    "venv",
  ]);
  assert.ok(existsSync(join(root, "other/kept.ts")) && existsSync("/etc/passwd"));
  const manifest: { path: string; inside: object[] }[] = JSON.parse(
    readFileSync(join(quarantineDirectory, "run-1/manifest.json"), "utf8"),
  );
  const told = (name: string) => manifest.find(({ path }) => path === join(root, name))?.inside;
  const sha256 = createHash("sha256").update("evil").digest("hex");
  assert.deepEqual(told("sub/.envrc"), [{ path: join(root, "sub/.envrc"), mode: "644", kind: "file", sha256 }]);
  assert.deepEqual(told("link/.cursor"), [
    { path: join(root, "link/.cursor"), mode: "777", kind: "link", target: "/etc" },
  ]);
  assert.deepEqual(
    told("a/.vscode")
      ?.map((one) => (one as { path: string }).path.slice(root.length))
      .sort(),
    ["/a/.vscode", "/a/.vscode/deep", "/a/.vscode/deep/b", "/a/.vscode/tasks.json"],
  );
  assert.equal(statSync(quarantineDirectory).mode & 0o77, 0);
});

test("a run that planted nothing leaves nothing behind", async (t) => {
  const { root, put, guard, quarantineDirectory } = scene(t, [".git/config", ".git/hooks/x", ".env"]);
  const run = await guard();
  assert.ok(existsSync(join(root, ".vscode")));
  put("src/new.ts");
  assert.deepEqual(await run.finish("run"), NOTHING);
  assert.deepEqual(readdirSync(root).sort(), [".env", ".git", "src"]);
  assert.equal(existsSync(quarantineDirectory), false);
});

test("git may make repositories, submodules and worktrees, but not lead existing ones elsewhere", async (t) => {
  const { root, put, guard } = scene(t, [".git/HEAD", ".git/config"]);
  const run = await guard({ opensGit: true });
  for (const name of ["clone/.git/HEAD", "clone/.git/hooks/pre-commit.sample", "clone/.vscode/x"]) put(name);
  for (const name of ["clone/.git/config", ".git/modules/s/config", "bare/config"]) put(name, CONFIG);
  for (const name of [".git/modules/s/HEAD", "bare/HEAD", "bare/objects/x", "bare/refs/x"]) put(name);
  put(".git/worktrees/w/commondir", "../..\n");
  put("s/.git", "gitdir: ../.git/modules/s\n");
  for (const name of [".git/commondir", ".git/config.worktree"]) put(name);
  const { quarantined } = await run.finish("run");
  assert.deepEqual(quarantined.map(short(root)), [".git/commondir", ".git/config.worktree", "clone/.vscode"]);
});

test("what git wouldn't have made in a repository that it made is taken away", async (t) => {
  const { root, put, guard } = scene(t, [".git/HEAD", ".git/config", "src/hooks/use-thing.ts"]);
  const run = await guard({ opensGit: true });
  for (const name of ["clone", "other", "third"]) put(`${name}/.git/config`, CONFIG);
  put("clone/.git/hooks/pre-commit", "#!/bin/sh");
  put("clone/.git/info/attributes");
  symlinkSync("/tmp", join(root, "other/.git/hooks"));
  put("third/.git/commondir", "../..\n");
  for (const [at, setting] of [
    "[core]\n\tfsmonitor = x",
    "[core]\n\thooksPath = x",
    "[alias]\n\tst = !x",
    "[include]\n\tpath = x",
    '[filter "x"]\n\tclean = x',
    '[remote "x"]\n\turl = ext::sh',
    '[remote "x"]\n\turl = \\\nx',
    "[core] fsmonitor = x",
    "[core\n\tbare = false",
  ].entries()) {
    put(`set-${at}/.git/config`, `${CONFIG}${setting}\n`);
  }
  put(".git/modules/s/hooks/update", "#!/bin/sh");
  put("nowhere/.git", "gitdir: ../gone\n");
  put("unseen/.git", "gitdir: ../node_modules/x\n");
  put("node_modules/x/HEAD");
  for (const name of ["HEAD", "objects/x", "refs/x"]) put(`src/${name}`);
  const { quarantined } = await run.finish("run");
  assert.deepEqual(
    quarantined.map(short(root)).sort(),
    [
      ...[".git/modules/s/hooks/update", "clone/.git/hooks/pre-commit", "clone/.git/info/attributes"],
      ...["nowhere/.git", "other/.git/hooks", "third/.git/commondir", "unseen/.git", "src/HEAD"],
      ...Array.from({ length: 9 }, (_, at) => `set-${at}/.git/config`),
    ].sort(),
  );
  assert.ok(existsSync(join(root, "src/hooks/use-thing.ts")), "someone's sources stay");
});

test("a directory that becomes a repository by what is put beside its sources loses only that", async (t) => {
  const { root, put, guard } = scene(t, ["hooks/use-thing.ts", "config/index.ts", "package.json"]);
  const run = await guard();
  for (const name of ["HEAD", "objects/x", "refs/x"]) put(name);
  assert.deepEqual((await run.finish("run")).quarantined.map(short(root)), ["HEAD"]);
  assert.ok(existsSync(join(root, "hooks/use-thing.ts")) && existsSync(join(root, "config/index.ts")));
});

test("what was approved stays, its neighbours don't", async (t) => {
  const { root, put, guard } = scene(t, [".vscode/settings.json"]);
  const run = await guard({ writes: [".vscode/new.json", ".mcp.json", ".husky/pre-commit", "a/.claude"] });
  for (const name of [
    ".vscode/new.json",
    ".vscode/evil.json",
    ".mcp.json",
    ".husky/pre-commit",
    ".husky/evil",
    "a/.claude/x",
  ])
    put(name);
  const { quarantined } = await run.finish("run");
  assert.deepEqual(quarantined.map(short(root)), [".husky/evil", ".vscode/evil.json"]);
  for (const name of [".vscode/new.json", ".mcp.json", ".husky/pre-commit", "a/.claude/x"])
    assert.ok(existsSync(join(root, name)), name);
});

test("a link that was swapped is taken away; one that wasn't stays", async (t) => {
  const { root, guard } = scene(t, ["shared/x", "evil/x"]);
  symlinkSync("shared", join(root, ".vscode"));
  symlinkSync("shared", join(root, ".idea"));
  const run = await guard();
  unlinkSync(join(root, ".vscode"));
  symlinkSync("evil", join(root, ".vscode"));
  const { changed } = await run.finish("run");
  assert.deepEqual(
    changed.map(({ at }) => readlinkSync(at)),
    ["evil"],
  );
  assert.equal(readlinkSync(join(root, ".idea")), "shared");
});

test("two runs in one workspace don't take each other's placeholders for planted", async (t) => {
  const { root, put, guard } = scene(t, ["x"]);
  const [one, other] = [await guard(), await guard()];
  assert.deepEqual(one.steps, other.steps);
  put("sub/.envrc");
  assert.deepEqual((await one.finish("one")).quarantined.map(short(root)), ["sub/.envrc"]);
  const third = await guard();
  assert.deepEqual((await other.finish("other")).quarantined, []);
  assert.ok(existsSync(join(root, ".vscode")));
  third.release();
  assert.deepEqual(readdirSync(root).sort(), ["sub", "x"]);
});

test("what another run was allowed to make isn't planted by one that runs longer; what itself made is", async (t) => {
  const { root, put, guard } = scene(t, ["x"]);
  const server = await guard();
  const clone = await guard({ opensGit: true });
  for (const name of ["clone/.git/config", "clone/.git/hooks/x.sample"]) put(name, CONFIG);
  assert.deepEqual((await clone.finish("clone")).quarantined, []);
  const edit = await guard({ writes: [".vscode/new.json", "a/.mcp.json"] });
  for (const name of [".vscode/new.json", "a/.mcp.json"]) put(name);
  put("planted/.envrc");
  assert.deepEqual((await edit.finish("edit")).quarantined.map(short(root)), ["planted/.envrc"]);
  put("later/.envrc");
  // The first look that finds it takes it away, and doesn't call it its own run's.
  const { quarantined, changed } = await (await guard()).finish("other");
  assert.deepEqual([quarantined, changed.map(short(root))], [[], ["later/.envrc"]]);
  put("last/.envrc");
  assert.deepEqual((await server.finish("server")).quarantined.map(short(root)), ["last/.envrc"]);
  assert.ok(existsSync(join(root, ".vscode/new.json")));
  assert.ok(existsSync(join(root, "clone/.git/config")) && existsSync(join(root, "a/.mcp.json")));
});

test("beside what is approved nothing can be put into a name that another run keeps free", async (t) => {
  const { root, put, guard } = scene(t, ["x"]);
  const server = await guard();
  const edit = await guard({ writes: [".vscode/new.json"] });
  for (const name of [".vscode/new.json", ".vscode/evil.json"]) put(name);
  assert.deepEqual((await edit.finish("edit")).quarantined.map(short(root)), [".vscode/evil.json"]);
  await server.finish("server");
  assert.deepEqual(readdirSync(join(root, ".vscode")), ["new.json"]);
});

test("a name that another run keeps free can't be made meanwhile", async (t) => {
  const { root, guard } = scene(t, ["x"]);
  const run = await guard();
  await assert.rejects(
    guard({ writes: [".mcp.json"] }),
    (error) => error instanceof JailError && error.code === "PLACE_HELD",
  );
  await run.finish("run");
  const next = await guard({ writes: [".mcp.json"] });
  assert.equal(existsSync(join(root, ".mcp.json")), false);
  next.release();
});

test("a read-only run holds no names and isn't followed by a scan", async (t) => {
  const { root, put, guard } = scene(t, [".env", ".git/config"]);
  const run = await guard({ writable: false });
  assert.deepEqual(run.steps, [{ do: "hide", path: join(root, ".env"), kind: "file" }]);
  put(".envrc");
  assert.deepEqual(await run.finish("run"), NOTHING);
  assert.deepEqual(readdirSync(root).sort(), [".env", ".envrc", ".git"]);
});

test("what its maker closed is taken away or out of use all the same", async (t) => {
  const { root, base, put, guard, quarantineDirectory } = scene(t, ["x"]);
  mkdirSync(quarantineDirectory);
  const asRoot = process.geteuid?.() === 0;
  const paths = [base, root, dirname(quarantineDirectory), quarantineDirectory];
  if (asRoot) for (const path of paths) chownSync(path, 65534, 65534);
  if (asRoot) process.seteuid?.(65534);
  try {
    const run = await guard();
    put("closed/.envrc");
    put("a/.vscode/x");
    chmodSync(join(root, "closed"), 0o555);
    chmodSync(join(root, "a/.vscode"), 0);
    const { quarantined, failed } = await run.finish("run");
    assert.deepEqual(failed, []);
    assert.deepEqual(quarantined.map(short(root)), ["a/.vscode", "closed/.envrc"]);
    assert.equal(quarantined[0]?.at, join(root, "a/.vscode.quarantined-run"));
    assert.deepEqual([existsSync(join(root, "a/.vscode")), existsSync(join(root, "closed/.envrc"))], [false, false]);
  } finally {
    if (asRoot) process.seteuid?.(0);
    chmodSync(join(root, "a/.vscode.quarantined-run"), 0o700);
  }
});

test("to another file system it is copied, links as links, and then removed", async (t) => {
  const shm = statSync("/dev/shm", { throwIfNoEntry: false });
  if (shm?.dev === undefined || shm.dev === statSync(tmpdir()).dev) return t.skip("there's one file system only");
  const { root, put, guard } = scene(t, ["kept/file"], "/dev/shm");
  const run = await guard();
  put("a/.vscode/deep/x", "text");
  chmodSync(join(root, "a/.vscode/deep/x"), 0o4755);
  symlinkSync("../../kept", join(root, "a/.vscode/link"));
  execFileSync("mkfifo", [join(root, "a/.vscode/pipe")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, "a/.vscode/socket"), resolve));
  t.after(() => server.close());
  put("large/.vscode/x");
  truncateSync(join(root, "large/.vscode/x"), 300 * 1024 * 1024);
  const { quarantined, failed } = await run.finish("run");
  assert.deepEqual(failed, []);
  const [small, large] = quarantined.map(({ at }) => at);
  assert.deepEqual(readdirSync(join(root, "a")), []);
  assert.deepEqual(readdirSync(small ?? "").sort(), ["deep", "link"]);
  assert.equal(readFileSync(join(small ?? "", "deep/x"), "utf8"), "text");
  assert.equal(statSync(join(small ?? "", "deep/x")).mode & 0o7777, 0o755);
  assert.equal(readlinkSync(join(small ?? "", "link")), "../../kept");
  assert.equal(large, join(root, "large/.vscode.quarantined-run"));
  assert.ok(existsSync(join(root, "kept/file")));
});

test("where there's no room for it, it is put out of use where it is", async (t) => {
  const { root, put, guard, quarantineDirectory } = scene(t, ["x"]);
  const run = await guard();
  const long = `lib/site-packages/${"x".repeat(250)}.pth`;
  put("a/.envrc");
  put(long);
  writeFileSync(quarantineDirectory, "a file in the way");
  const { quarantined, failed } = await run.finish("run");
  assert.deepEqual(
    quarantined.map(({ at }) => at.slice(root.length)),
    ["/a/.envrc.quarantined-run", "/lib/site-packages/long-name.quarantined-run"],
  );
  assert.deepEqual(
    failed.map(({ code }) => code),
    ["ENOTDIR"],
  );
  assert.deepEqual(readdirSync(join(root, "a")), [".envrc.quarantined-run"]);
});

test("what stands behind a link by now isn't touched, and told", async (t) => {
  const { root, put, quarantineDirectory } = scene(t, ["real/.envrc"]);
  symlinkSync("real", join(root, "link"));
  put("a/.envrc");
  const gone = join(root, "gone/.envrc");
  const report = await quarantine(
    [join(root, "link/.envrc"), gone, join(root, "a/.envrc")],
    join(quarantineDirectory, "run"),
  );
  assert.deepEqual(report.failed, [{ path: join(root, "link/.envrc"), code: "UNREACHABLE" }]);
  assert.deepEqual(report.quarantined.map(short(root)), ["a/.envrc"]);
  assert.ok(existsSync(join(root, "real/.envrc")));
});

test("what is to be deleted isn't held, and is taken away where it was changed instead", async (t) => {
  const files = ["old/.vscode/tasks.json", "old/.git/hooks/pre-commit", "old/.git/config", "old/.envrc", "old/file"];
  const { root, put, guard } = scene(t, [...files, "kept/.envrc"]);
  const run = await guard({ removes: ["old"] });
  assert.deepEqual(
    run.steps.map(short(root)).filter((path) => path.startsWith("old")),
    [],
  );
  assert.ok(run.steps.some(({ path }) => path === join(root, "kept/.envrc")));
  put("old/.vscode/tasks.json", "evil");
  put("old/.git/hooks/post-checkout", "evil");
  put("old/.mcp.json", "evil");
  unlinkSync(join(root, "old/.envrc"));
  const { quarantined, changed, vanished } = await run.finish("run");
  assert.deepEqual(quarantined.map(short(root)).sort(), ["old/.git/hooks/post-checkout", "old/.mcp.json"]);
  assert.deepEqual([changed.map(short(root)), vanished], [["old/.vscode/tasks.json"], []]);
  assert.deepEqual(readdirSync(join(root, "old")).sort(), [".git", ".vscode", "file"]);
});

test("a workspace as a whole, or what is around it, isn't freed", async (t) => {
  const { root, guard } = scene(t, [".envrc"]);
  for (const removes of ["", ".."]) {
    const run = await guard({ removes: [removes] });
    assert.ok(
      run.steps.some(({ path }) => path === join(root, ".envrc")),
      removes,
    );
    run.release();
  }
});
