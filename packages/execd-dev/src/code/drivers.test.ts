import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { driverOf } from "./drivers.ts";

/** What a language's driver says to one piece of code, where `node` in PATH is one that knows no types. */
function said(t: TestContext, language: string, { ours, code }: { ours: string; code: string }): string[] {
  const directory = mkdtempSync(join(tmpdir(), "countersign-drivers-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const old = join(directory, "old.cjs");
  writeFileSync(old, 'require("node:module").stripTypeScriptTypes = undefined;');
  const program = `#!/bin/sh\nexec "${process.execPath}" --require "${old}" "$@"\n`;
  writeFileSync(join(directory, "node"), program, { mode: 0o755 });
  const { command, env } = driverOf(language, ours) ?? assert.fail();
  const { stdout } = spawnSync("/bin/bash", ["-c", command], {
    env: { PATH: `${directory}:/usr/bin:/bin`, EXECD_MARK: "mark", ...env },
    input: `${JSON.stringify({ code })}\n`,
    encoding: "utf8",
  });
  const words = stdout.split("\0mark").slice(1);
  return words.map((word) => {
    const { event, text } = JSON.parse(word) as { event: string; text?: string };
    return text ?? event;
  });
}

test("types are read by our own node, whatever PATH has", (t) => {
  const ours = process.execPath;
  assert.deepEqual(said(t, "typescript", { ours, code: "const x: number = 6; x * 7" }), ["ready", "42", "done"]);
  assert.deepEqual(said(t, "javascript", { ours, code: "6 * 7" }), ["ready", "42", "done"]);
});

test("where ours can't be seen, PATH's runs JavaScript, and is no kernel for types that it can't read", (t) => {
  const ours = "/nowhere/it's hidden/node";
  assert.deepEqual(said(t, "javascript", { ours, code: "6 * 7" }), ["ready", "42", "done"]);
  assert.deepEqual(said(t, "typescript", { ours, code: "6 * 7" }), []);
});
