import assert from "node:assert/strict";
import { test } from "node:test";
import { firstScripts, MOST_BYTES } from "./first-script.ts";

test("what the page needs before its lazy parts is at most 60 kB of script, gzipped", () => {
  const sizes = firstScripts();
  assert.notEqual(sizes.length, 0);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(total <= MOST_BYTES, `${total} bytes: ${JSON.stringify(sizes)}`);
});
