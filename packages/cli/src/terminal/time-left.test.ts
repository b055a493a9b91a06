import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLeft } from "./time-left.ts";

test("minutes and seconds, hours where there are any, never below nothing", () => {
  assert.deepEqual(
    [0, 1, 59_000, 60_000, 462_000, 3_600_000, 86_399_000, -5].map((ms) => timeLeft(1_000 + ms, 1_000)),
    ["0:00", "0:01", "0:59", "1:00", "7:42", "1:00:00", "23:59:59", "0:00"],
  );
});
