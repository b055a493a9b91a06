import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isInside, TrustedPath } from "./trusted-path.ts";

/** Not below /tmp, which is never trusted. */
function scratch(t: TestContext, parent = homedir()): string {
  const dir = realpathSync(mkdtempSync(join(parent, ".countersign-test-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function directory(path: string, mode = 0o755): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

test("what an agent or another user could write to isn't looked in", (t) => {
  const dir = scratch(t);
  const good = directory(join(dir, "good"));
  const root = directory(join(dir, "root"));
  const link = join(dir, "link");
  symlinkSync(directory(join(root, "elsewhere")), link);
  writeFileSync(join(dir, "file"), "");
  const untrusted = [
    "",
    ".",
    "bin",
    directory(join(dir, "open"), 0o777),
    directory(join(dir, "group"), 0o775),
    root,
    directory(join(root, "node_modules/.bin")),
    link,
    join(dir, "missing"),
    join(dir, "file"),
    directory(scratch(t, tmpdir())),
    "/tmp",
  ];
  const path = new TrustedPath([...untrusted, good, "/usr/bin", good].join(":"), [root]);
  assert.deepEqual(path.directories, [good, "/usr/bin"]);
  assert.equal(path.toString(), `${good}:/usr/bin`);
});

test("a root that is reached through a link counts as what it leads to", (t) => {
  const dir = scratch(t);
  const bin = directory(join(dir, "workspace/bin"));
  symlinkSync(join(dir, "workspace"), join(dir, "link"));
  assert.deepEqual(new TrustedPath(`${bin}:/usr/bin`, [join(dir, "link")]).directories, ["/usr/bin"]);
});

test("a name beside the root's isn't inside it", () => {
  assert.ok(isInside("/a/b", "/a/b") && isInside("/a/b/c", "/a/b") && isInside("/a", "/"));
  assert.ok(!isInside("/a/bc", "/a/b") && !isInside("/a", "/a/b"));
});

test("a PATH of which nothing is left isn't an empty one, in which bash would look in the working directory", () => {
  for (const path of ["/tmp", ".:bin", "", undefined]) {
    const { directories } = new TrustedPath(path, []);
    assert.ok(directories.includes("/usr/bin"), String(path));
    assert.ok(
      directories.every((dir) => dir.startsWith("/") && dir !== "/tmp"),
      String(path),
    );
  }
});

test("a name is found where the shell would find it: the first directory with an executable file", (t) => {
  const dir = scratch(t);
  const [first, second] = [directory(join(dir, "1")), directory(join(dir, "2"))];
  writeFileSync(join(first, "plain"), "", { mode: 0o644 });
  directory(join(first, "folder"));
  for (const name of ["plain", "folder", "tool"]) writeFileSync(join(second, name), "", { mode: 0o755 });
  writeFileSync(join(first, "tool"), "", { mode: 0o755 });
  symlinkSync("/usr/bin/env", join(second, "link"));
  symlinkSync("/nonexistent", join(second, "dangling"));
  const path = new TrustedPath(`${first}:${second}`, []);
  const found = Object.fromEntries(
    ["plain", "folder", "tool", "link", "dangling", "missing", "", "..", "../1/tool", "/usr/bin/env"].map((name) => [
      name,
      path.resolve(name),
    ]),
  );
  assert.deepEqual(found, {
    plain: join(second, "plain"),
    folder: join(second, "folder"),
    tool: join(first, "tool"),
    link: join(second, "link"),
    dangling: undefined,
    missing: undefined,
    "": undefined,
    "..": undefined,
    "../1/tool": undefined,
    "/usr/bin/env": undefined,
  });
});
