import assert from "node:assert/strict";
import { test } from "node:test";
import { shortId } from "./short-id.ts";

const A = "01a1e0d8-dc80-701d-b8bb-8987f28a4e4b";
const B = "01a1e0d8-dc80-701d-b8bb-1987f28a4e4b";
const C = "01a1e0d8-dc80-701d-b8bb-898700000000";
const D = "01a1e0d8-dc80-701d-c8bb-8987f28a4e4b";

test("is the end, as long as it must be", () => {
  assert.equal(shortId(A, [A, C]), "f28a4e4b");
  assert.equal(shortId(A, [A, B, C]), "8987f28a4e4b");
  // Not "-8987…": that would look like an option.
  assert.equal(shortId(A, [A, D]), "b8bb-8987f28a4e4b");
  assert.equal(shortId(A, [A]), "f28a4e4b");
});
