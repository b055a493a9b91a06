import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { quoteForSystemd, writeUnit } from "./unit.ts";

test("words are quoted as systemd reads them back", () => {
  assert.equal(quoteForSystemd(`/a b/"c"\\$HOME/100%`), `"/a b/\\"c\\"\\\\$$HOME/100%%"`);
});

test("a path that would begin another line of the unit is refused", () => {
  const unit = { node: "/usr/bin/node", bin: "/b.js", home: "/h\nExecStartPre=/bin/false" };
  assert.throws(() => writeUnit(unit), /isn't a plain path/);
});

test("systemd finds nothing wrong with the unit, spaces and signs in its paths included", (t) => {
  const found = spawnSync("systemd-analyze", ["--version"], { stdio: "ignore" });
  if (found.error) return t.skip("needs systemd-analyze (package systemd)");
  const dir = mkdtempSync(join(tmpdir(), "cs unit 50% "));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "run"));
  const file = join(dir, "countersign.service");
  writeFileSync(file, writeUnit({ node: process.execPath, bin: join(dir, "bin's.js"), home: dir }));
  const env = { ...process.env, XDG_RUNTIME_DIR: dir };
  const { stderr, status } = spawnSync("systemd-analyze", ["--user", "--man=no", "verify", file], {
    encoding: "utf8",
    env,
  });
  assert.deepEqual(
    stderr.split("\n").filter((line) => line.includes("countersign.service")),
    [],
  );
  assert.equal(status, 0, stderr);
});
