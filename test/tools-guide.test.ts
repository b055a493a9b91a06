import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

test("docs/tools.md does what it says", async (t) => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-tools-")));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const work = join(scratch, "work");
  mkdirSync(work);
  const page = readFileSync(join(root, "docs/tools.md"), "utf8");
  const [, block = "", printed = ""] = /^```ts\n([\s\S]*?)^```[\s\S]*?^```text\n([\s\S]*?)^```/m.exec(page) ?? [];
  const guide = block
    .replace("/srv/countersign", join(scratch, "home"))
    .replace("/srv/work", work)
    .replace("18789", "0");
  // Resolved from where the server is a dependency.
  const cwd = join(root, "packages/cli");
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-"], { cwd, timeout: 30_000 });
  child.stdin.end(guide);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stderr, "");
  assert.equal(stdout, printed);
  assert.equal(readFileSync(join(work, "note.txt"), "utf8"), "hello\n");
});
