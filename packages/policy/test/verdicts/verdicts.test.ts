import assert from "node:assert/strict";
import { it } from "node:test";
import { compareVerdicts } from "./compare.ts";

it("every command has the verdict and effects that are frozen (npm run verdicts)", () => {
  assert.deepEqual(compareVerdicts(), []);
});
