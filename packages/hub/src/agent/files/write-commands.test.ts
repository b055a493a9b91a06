import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sha256Hex } from "@countersign/core/base";
import fc from "fast-check";
import { createCommand, replaceCommand } from "./write-commands.ts";

function scratch(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "countersign-write-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function bash(command: string, cwd: string, locale = "C.UTF-8"): { status: number | null; stderr: string } {
  const options = { cwd, env: { PATH: process.env.PATH ?? "", LC_ALL: locale }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", command], options);
  return { status, stderr };
}

const unit = fc.constantFrom("a", "b", "\n", "\n", "\r", "'", "\\", ".", "%", "$x", "\u{1f642}", "ü", "\x7f");
const start = "0123456789\n".repeat(200);

test("replaceCommand keeps unchanged bytes of a long file in any locale", (t) => {
  const cwd = scratch(t);
  const file = join(cwd, "f");
  const text = fc.string({ unit, maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, text, fc.constantFrom("C.UTF-8", "C"), (a, b, c, d, locale) => {
      const oldText = `${a}${start}${b}${start}${c}`;
      const content = `${a}${start}${d}${start}${c}`;
      writeFileSync(file, oldText);
      const command = replaceCommand({ path: "f", content, oldHash: sha256Hex(oldText), oldText });
      assert.ok(command.length < 600, command);
      assert.deepEqual(bash(command, cwd, locale), { status: 0, stderr: "" });
      assert.equal(readFileSync(file, "utf8"), content);
    }),
    { numRuns: 60 },
  );
});

test("replaceCommand writes short, different or unread content in whole", (t) => {
  const cwd = scratch(t);
  const table: [string, string, boolean][] = [
    ["old\nsame\n", "new\nsame\n", true],
    [start, start.replaceAll("0", "x"), true],
    [`${start}x`, `${start}y`, false],
  ];
  for (const [oldText, content, isRead] of table) {
    writeFileSync(join(cwd, "f"), oldText);
    const shown = isRead ? oldText : undefined;
    const command = replaceCommand({ path: "f", content, oldHash: sha256Hex(oldText), oldText: shown });
    assert.ok(command.endsWith(`\nprintf '%s' '${content}' > 'f'`), command.slice(0, 200));
    assert.equal(bash(command, cwd).status, 0);
    assert.equal(readFileSync(join(cwd, "f"), "utf8"), content);
  }
});

test("write commands leave a file that has changed since", (t) => {
  const cwd = scratch(t);
  const oldText = `${start}x\n`;
  const replace = replaceCommand({ path: "f", content: `${start}y\n`, oldHash: sha256Hex(oldText), oldText });
  writeFileSync(join(cwd, "f"), "other");
  assert.deepEqual(bash(replace, cwd), { status: 65, stderr: "It changed after it was read; nothing was written\n" });
  assert.equal(readFileSync(join(cwd, "f"), "utf8"), "other");
  assert.equal(bash(createCommand("f", "mine"), cwd).status, 65);
  assert.equal(readFileSync(join(cwd, "f"), "utf8"), "other");
  rmSync(join(cwd, "f"));
  assert.equal(bash(replace, cwd).status, 65);
  assert.ok(!existsSync(join(cwd, "f")));
});

test("replaceCommand writes nothing if the kept lines can't be read", (t) => {
  const cwd = scratch(t);
  const oldText = `${start}x\n`;
  for (const broken of ["head", "tail"]) {
    writeFileSync(join(cwd, "f"), oldText);
    const command = replaceCommand({ path: "f", content: `${start}y\n${start}`, oldHash: sha256Hex(oldText), oldText });
    assert.notEqual(bash(`${broken}() { return 1; }\n${command}`, cwd).status, 0);
    assert.equal(readFileSync(join(cwd, "f"), "utf8"), oldText);
  }
});

test("createCommand creates a missing directory of any name", (t) => {
  const cwd = scratch(t);
  assert.equal(bash(createCommand("-a b/it's/f", "x\n", "./-a b/it's"), cwd).status, 0);
  assert.equal(execFileSync("cat", ["./-a b/it's/f"], { cwd, encoding: "utf8" }), "x\n");
});
