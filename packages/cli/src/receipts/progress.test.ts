import assert from "node:assert/strict";
import { test } from "node:test";
import { progressLine } from "./progress.ts";

test("tells how far, how fast and how long", () => {
  const line = (count: number, elapsedMs: number, fraction: number) => progressLine({ count, elapsedMs, fraction });
  assert.equal(line(120_000, 12_000, 0.12), "120,000 verified (12 %), 10,000 a second, 1 min 28 s left");
  assert.equal(line(5, 1_000, 0), "5 verified (0 %), 5 a second");
  assert.equal(line(1_000_000, 100_000, 1), "1,000,000 verified (100 %), 10,000 a second, 0 s left");
  assert.equal(line(100, 10_000, 0.001), "100 verified (0 %), 10 a second, 2 h 46 min left");
});
