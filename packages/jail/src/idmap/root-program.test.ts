import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rootProgram } from "./root-program.ts";

const skip = process.getuid?.() !== 0 && "needs root";

test("a program that only root can change is taken", () => {
  assert.equal(rootProgram("/usr/bin/env"), "/usr/bin/env");
});

test("one that others could have put there isn't", { skip }, (t) => {
  const dir = realpathSync(mkdtempSync(join(homedir(), ".countersign-test-")));
  const shared = realpathSync(mkdtempSync(join(tmpdir(), "countersign-test-")));
  t.after(() => {
    for (const made of [dir, shared]) rmSync(made, { recursive: true });
  });
  const program = (path: string, mode = 0o755) => {
    writeFileSync(path, "");
    chmodSync(path, mode);
    return path;
  };
  assert.equal(rootProgram(program(join(dir, "good"))), join(dir, "good"));
  const foreign = program(join(dir, "foreign"));
  chownSync(foreign, 12_345, 0);
  mkdirSync(join(dir, "open"));
  chmodSync(join(dir, "open"), 0o777);
  symlinkSync(foreign, join(dir, "link"));
  const refused = [
    foreign,
    program(join(dir, "writable"), 0o757),
    program(join(dir, "group-writable"), 0o775),
    program(join(dir, "no-program"), 0o644),
    program(join(dir, "open/inside")),
    program(join(shared, "below-tmp")),
    join(dir, "link"),
    join(dir, "absent"),
    dir,
  ];
  for (const path of refused) assert.throws(() => rootProgram(path), { code: "PROGRAM_MISSING" }, path);
});
