import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockedAttempts } from "./blocked-attempts.ts";
import { EGRESS_LIMITS } from "./limits.ts";

const to = (dstPort: number) => ({ protocol: 6, src: "10.0.0.1", srcPort: 4_000, dst: "10.0.0.2", dstPort });

test("what is sent again is the same attempt, until nothing came for long", () => {
  const attempts = new BlockedAttempts({ ...EGRESS_LIMITS, attemptMs: 100 });
  assert.deepEqual(
    [0, 50, 149, 249, 250].map((ms) => attempts.take(to(80), ms)),
    ["new", "again", "again", "new", "again"],
  );
  attempts.forget(to(80));
  assert.equal(attempts.take(to(80), 251), "new");
});

test("more than are told in a while are counted, and memory is bounded", () => {
  const attempts = new BlockedAttempts({ ...EGRESS_LIMITS, blockedBurst: 2, blockedPerSecond: 1, attempts: 3 });
  assert.deepEqual(
    [1, 2, 3].map((port) => attempts.take(to(port), 0)),
    ["new", "new", "too-many"],
  );
  assert.equal(attempts.take(to(4), 1_000), "new");
  assert.equal(attempts.take(to(1), 1_000), "too-many");
  assert.equal(attempts.take(to(4), 1_000), "again");
});
