import assert from "node:assert/strict";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startLocalExecd } from "../start-local-execd.ts";
import { ConfinedTree } from "./confined-tree.ts";
import { OutsideError } from "./tree.ts";

const skip = process.platform !== "linux" && "it needs /proc";

/** A workspace, what is known as /scratch, and a secret beside them. */
function makeGround(t: TestContext) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-confined-")));
  t.after(() => rmSync(base, { recursive: true }));
  const [work, tmp, outside] = ["work", "tmp", "outside"].map((name) => join(base, name)) as [string, string, string];
  for (const directory of [work, tmp, outside]) mkdirSync(directory);
  writeFileSync(join(outside, "secret"), "secret");
  const roots = [
    { shown: work, directory: work },
    { shown: "/scratch", directory: tmp },
  ];
  return { base, work, tmp, outside, roots };
}

test("a path is found as whoever lives there would find it, and never outside", { skip }, (t) => {
  const { work, tmp, outside, roots } = makeGround(t);
  const tree = new ConfinedTree(roots);
  const openBefore = readdirSync("/proc/self/fd").length;
  mkdirSync(join(work, "a/b"), { recursive: true });
  writeFileSync(join(work, "a/file"), "in work");
  writeFileSync(join(tmp, "file"), "in tmp");
  for (const [name, target] of [
    ["relative", "a/file"],
    ["absolute", join(work, "a/file")],
    ["a/b/up", "../../relative"],
    ["dir", "a"],
    ["other", "/scratch/file"],
    ["loop", "loop"],
    ["out", outside],
    ["out-file", join(outside, "secret")],
    ["out-up", "../outside/secret"],
    ["out-far", "a/../../outside/secret"],
    ["out-again", "out-file"],
    ["out-proc", "/proc/self/root/etc/passwd"],
  ] as const)
    symlinkSync(target, join(work, name));
  const read = (path: string) => {
    const place = tree.find(path, { follow: true });
    try {
      return readFileSync(place.path, "utf8");
    } finally {
      place.close();
    }
  };
  for (const name of ["a/file", "relative", "absolute", "a/b/up", "dir/file", "./a//file"])
    assert.equal(read(`${work}/${name}`), "in work", name);
  for (const path of ["/scratch/file", `${work}/other`]) assert.equal(read(path), "in tmp");
  const outs = ["out/secret", "out-file", "out-up", "out-far", "out-again", "out-proc", "../outside/secret"];
  for (const path of [...outs.map((name) => `${work}/${name}`), "/etc/passwd", `${outside}/secret`, "/", `${work}2`])
    assert.throws(() => read(path), OutsideError, path);
  assert.throws(() => read(`${work}/loop`), { code: "ELOOP" });
  assert.throws(() => read(`${work}/a/none`), { code: "ENOENT" });
  assert.throws(() => read(`${work}/a/file/x`), { code: "ENOTDIR" });
  // Of a link that isn't followed, the link is what is found.
  tree.find(`${work}/out`, { follow: false }).close();
  assert.throws(() => tree.find(`${work}/out/new/x`, { follow: false, make: true }), OutsideError);
  assert.ok(!existsSync(join(outside, "new")));
  assert.equal(readdirSync("/proc/self/fd").length, openBefore);
  tree.close();
});

test("a name that is held in a root is found by nobody, and the root itself isn't emptied", { skip }, async (t) => {
  const { work, tmp, roots } = makeGround(t);
  for (const directory of ["way/in", "way2", "a"]) mkdirSync(join(tmp, directory), { recursive: true });
  symlinkSync("way", join(tmp, "link"));
  symlinkSync("/scratch/way/in", join(work, "link"));
  const held = roots.map((root) => (root.directory === tmp ? { ...root, held: "way" } : root));
  const tree = new ConfinedTree(held);
  const names = ["way", "way/in", "./way", "a/../way", "link", "link/in", "way/.."].map((name) => `/scratch/${name}`);
  for (const path of [...names, `${work}/link`])
    assert.throws(() => tree.find(path, { follow: true }).close(), OutsideError, path);
  for (const path of ["/scratch/way2", "/scratch/a/way", `${work}/way`]) tree.find(path, { follow: true }).close();
  tree.close();
  const starter = { start: () => Promise.reject(new Error("nothing is started here")) };
  const execd = await startLocalExecd({ port: 0, directory: work, jail: { starter, roots: held } });
  t.after(() => execd.close());
  for (const path of ["/scratch", "/scratch/a/..", "/scratch/."]) {
    const answer = await fetch(`${execd.url}/directories?path=${path}`, { method: "DELETE" });
    assert.match(await answer.text(), /device or resource busy/);
  }
  assert.deepEqual(readdirSync(tmp).sort(), ["a", "link", "way", "way2"]);
});

test("what is swapped for a link after it was found isn't followed", { skip }, (t) => {
  const { work, outside, roots } = makeGround(t);
  const tree = new ConfinedTree(roots);
  mkdirSync(join(work, "dir"));
  const place = tree.find(`${work}/dir/secret`, { follow: true });
  const directory = tree.find(`${work}/dir`, { follow: true });
  renameSync(join(work, "dir"), join(work, "moved"));
  symlinkSync(outside, join(work, "dir"));
  writeFileSync(place.path, "mine");
  assert.equal(readFileSync(join(work, "moved/secret"), "utf8"), "mine");
  assert.throws(() => tree.enter(directory), { code: "ENOTDIR" });
  assert.equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
  for (const one of [place, directory, tree]) one.close();
});

test("no route of files reads, writes, moves or removes what is outside, whatever links are planted", {
  skip,
}, async (t) => {
  const { work, outside, roots } = makeGround(t);
  symlinkSync(outside, join(work, "out"));
  symlinkSync(join(outside, "secret"), join(work, "leak"));
  mkdirSync(join(work, "tree"));
  symlinkSync(outside, join(work, "tree/out"));
  writeFileSync(join(work, "mine"), "mine");
  const starter = { start: () => Promise.reject(new Error("nothing is started here")) };
  const execd = await startLocalExecd({ port: 0, directory: work, jail: { starter, roots } });
  t.after(() => execd.close());
  const call = async (method: string, target: string, body?: unknown) => {
    const answer = await fetch(`${execd.url}${target}`, {
      method,
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return `${answer.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ""}`.trim();
  };
  const query = (path: string) => `path=${encodeURIComponent(path)}`;
  const form = (path: string) => {
    const data = new FormData();
    data.append("metadata", new Blob([JSON.stringify({ path, mode: 666 })]), "metadata");
    data.append("file", new Blob(["planted"]), "file");
    return data;
  };
  const refused = "403 OUTSIDE_WORKSPACE";
  for (const path of ["leak", "out/secret", "../outside/secret", join(outside, "secret")]) {
    assert.equal(await call("GET", `/files/download?${query(path)}`), refused);
    assert.equal(await call("POST", "/files/replace", { [path]: { old: "secret", new: "x" } }), refused);
    assert.equal(await call("POST", "/files/permissions", { [path]: { mode: 777 } }), refused);
    assert.equal(await call("POST", "/files/upload", form(path)), refused);
  }
  for (const path of ["out/secret", "../outside/secret"]) {
    assert.equal(await call("GET", `/files/info?${query(path)}`), refused);
    assert.equal(await call("DELETE", `/files?${query(path)}`), refused);
    assert.equal(await call("POST", "/files/mv", [{ src: path, dest: "taken" }]), refused);
    assert.equal(await call("POST", "/files/mv", [{ src: "mine", dest: `${path}2` }]), refused);
    assert.equal(await call("DELETE", `/directories?${query(path)}`), refused);
    assert.equal(await call("POST", "/directories", { [`${path}/new`]: {} }), refused);
    assert.equal(await call("POST", "/pty", { cwd: `${path}/new` }), refused);
    assert.equal(await call("POST", "/command", { command: "true", cwd: path }), refused);
  }
  assert.equal(await call("GET", `/files/search?${query("out")}`), refused);
  assert.equal(await call("GET", `/directories/list?${query("out")}`), "400 INVALID_REQUEST_BODY");
  const listed = await (await fetch(`${execd.url}/directories/list?path=.&depth=9`)).text();
  assert.doesNotMatch(listed, /secret/);
  // Links themselves are the workspace's.
  assert.equal(await call("DELETE", `/directories?${query("tree")}`), "200");
  assert.equal(await call("DELETE", `/files?${query("leak")}`), "200");
  assert.equal(await call("DELETE", `/directories?${query("out")}`), "200");
  assert.deepEqual(readdirSync(work), ["mine"]);
  assert.deepEqual(readdirSync(outside), ["secret"]);
  assert.equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
  // The machine's ports are outside, too; but for its own.
  const { port } = new URL(execd.url);
  assert.equal(await call("GET", `/proxy/${port}/ping`), "200");
  assert.equal(await call("GET", "/proxy/1/ping"), "502");
});

test("after its end nothing is found, whatever has the numbers of its directories by then", { skip }, (t) => {
  const { work, outside, roots } = makeGround(t);
  writeFileSync(join(work, "secret"), "its own");
  const tree = new ConfinedTree(roots);
  tree.close();
  const others = [outside, outside].map((directory) => new ConfinedTree([{ shown: directory, directory }]));
  assert.throws(() => tree.find(join(work, "secret"), { follow: true }), { code: "ESTALE" });
  for (const other of others) other.close();
});

test("what was found is still that, and nothing else, when the tree is closed and its numbers are others'", {
  skip,
}, (t) => {
  const { work, outside, roots } = makeGround(t);
  writeFileSync(join(work, "secret"), "its own");
  const tree = new ConfinedTree(roots);
  const place = tree.find(join(work, "secret"), { follow: true });
  tree.close();
  const others = roots.map(() => openSync(outside, "r"));
  try {
    assert.equal(readFileSync(place.path, "utf8"), "its own");
  } finally {
    for (const fd of others) closeSync(fd);
    place.close();
  }
});

test("where one of its directories can't be opened, none is left open", { skip }, (t) => {
  const { base, roots } = makeGround(t);
  const before = readdirSync("/proc/self/fd").length;
  assert.throws(() => new ConfinedTree([...roots, { shown: "/", directory: join(base, "none") }]), { code: "ENOENT" });
  assert.equal(readdirSync("/proc/self/fd").length, before);
});
