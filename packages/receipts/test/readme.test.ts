import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's example prints what the README says", async () => {
  const example = /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1];
  const printed = /It prints `([^`]+)`/.exec(readme)?.[1];
  assert.ok(example && printed);
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    timeout: 120_000,
  });
  child.stdin.end(example);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.deepEqual([stdout.trim(), stderr], [printed, ""]);
});
