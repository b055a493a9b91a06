import assert from "node:assert/strict";
import { test } from "node:test";
import { readDuration } from "./read-duration.ts";

test("spans go on or back from now, dates are midnight here", () => {
  const now = { nowMs: 1_000_000_000, sign: 1 } as const;
  const rows: [string, number | undefined][] = [
    ["1m", 1_000_060_000],
    ["2h", 1_007_200_000],
    ["3d", 1_259_200_000],
    ["1w", 1_604_800_000],
    ["2030-12-31", new Date(2030, 11, 31).getTime()],
    ["2030-02-30", undefined],
    ["2030-13-01", undefined],
    ["9999999w", undefined],
    ["1", undefined],
    ["-1d", undefined],
    ["1.5d", undefined],
    ["", undefined],
  ];
  for (const [text, expected] of rows) assert.equal(readDuration(text, now), expected, text);
  assert.equal(readDuration("1m", { ...now, sign: -1 }), 999_940_000);
});
