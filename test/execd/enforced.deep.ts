import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { alone, whyNoNamespace } from "./in-namespace.ts";

const INSIDE = fileURLToPath(new URL("./enforced-in-namespace.ts", import.meta.url));

test("what --gate found out at its start is on each receipt of it: enforced, and advisory without the rule", (t) => {
  const why = whyNoNamespace();
  if (why !== undefined) return t.skip(why);
  const [program = "", ...args] = alone([process.execPath, INSIDE]);
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: "utf8", timeout: 120_000 });
  assert.equal(status, 0, `${stdout}${stderr}`);
  const both = (enforcement: string) => ({ said: enforcement, onReceipts: [enforcement], onCards: enforcement });
  assert.deepEqual(JSON.parse(stdout), { "box-1": both("enforced"), "box-2": both("advisory"), verified: 0 });
});
