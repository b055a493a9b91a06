import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findPlaces } from "../sensitive/find-places.ts";
import { isSame, Stamper } from "./entry-stamp.ts";
import { stampPlaces } from "./stamp-places.ts";

function workspace(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "stamps-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const stamper = new Stamper();
  const put = (name: string, text = name) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const stamps = async (look: "before" | "after" = "before") =>
    await stampPlaces(await findPlaces(root, { home: "/home/u" }), { root, stamper, look, most: 20 });
  return { root, put, stamps };
}

test("stampPlaces stamps what starts code, all that is in it, and what a link leads to", async (t) => {
  const { root, put, stamps } = workspace(t);
  for (const name of [".envrc", ".vscode/a/b", ".git/HEAD", ".git/config", ".git/objects/x", "shared/x", "src/a.ts"])
    put(name);
  symlinkSync("shared", join(root, ".idea"));
  const told = [...(await stamps())].map(
    ([path, { kind, top }]) => `${path.slice(root.length + 1)} ${kind}${top ? " top" : ""}`,
  );
  assert.deepEqual(told.sort(), [
    ".envrc file top",
    ".git directory top",
    ".git/config file top",
    ".idea link top",
    ".vscode directory top",
    ".vscode/a directory",
    ".vscode/a/b file",
    "shared directory top",
    "shared/x file",
  ]);
});

test("isSame tells every change of a file, however it was made, and no other", async (t) => {
  const { root, put, stamps } = workspace(t);
  const at = join(root, ".envrc");
  const replace = (make: () => unknown) => {
    rmSync(at);
    make();
  };
  const kept: [name: string, make: () => unknown][] = [
    ["nothing", () => undefined],
    ["touched", () => utimesSync(at, 1, 1)],
    ["saved anew, the same", () => replace(() => writeFileSync(at, "text"))],
  ];
  const changed: typeof kept = [
    ["written in place", () => writeFileSync(at, "TEXT")],
    ["replaced by a link", () => replace(() => symlinkSync("x", at))],
    ["replaced by a directory", () => replace(() => mkdirSync(at))],
    ["replaced by a pipe", () => replace(() => execFileSync("mkfifo", [at]))],
    ["replaced by a hard link to something else", () => replace(() => linkSync(join(root, "x"), at))],
    ["made a program", () => chmodSync(at, 0o755)],
  ];
  put("x");
  for (const [name, make] of [...kept, ...changed]) {
    rmSync(at, { recursive: true, force: true });
    writeFileSync(at, "text", { mode: 0o644 });
    const then = (await stamps()).get(at);
    make();
    const now = (await stamps("after")).get(at);
    assert.equal(
      then !== undefined && now !== undefined && isSame(then, now),
      kept.some(([one]) => one === name),
      name,
    );
  }
});

test("stampPlaces knows a huge file by its identity, and a huge directory by its own", async (t) => {
  const { root, put, stamps } = workspace(t);
  put(".envrc");
  truncateSync(join(root, ".envrc"), 9 * 1024 * 1024);
  for (let at = 0; at < 21; at += 1) put(`.claude/deep/${at}`, "");
  const [before, after] = [await stamps(), await stamps("after")];
  const partial = (found: typeof before) => [...found].filter(([, stamp]) => stamp.partial).map(([path]) => path);
  assert.deepEqual([partial(before), partial(after)], [[join(root, ".claude/deep")], []]);
  const file = before.get(join(root, ".envrc"));
  assert.ok(file && file.content === undefined && isSame(file, file) && !isSame(file, { ...file, identity: "" }));
});

test("isSame tells a file that got another name, by which it can be written to later", async (t) => {
  const { root, put, stamps } = workspace(t);
  put(".envrc");
  const then = (await stamps()).get(join(root, ".envrc"));
  linkSync(join(root, ".envrc"), join(root, "notes.txt"));
  const now = (await stamps()).get(join(root, ".envrc"));
  assert.ok(then && now);
  assert.deepEqual([isSame(then, now), isSame(now, now), isSame(now, then)], [false, true, true]);
});
