import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Backoff } from "./backoff.ts";

test("the ceiling doubles from minMs to maxMs and stays there", () => {
  const backoff = new Backoff({ minMs: 500, maxMs: 3_000 }, () => 1);
  const waits = Array.from({ length: 6 }, () => backoff.nextMs());
  assert.deepEqual(waits, [500, 1_000, 2_000, 3_000, 3_000, 3_000]);
});

test("only a connection that held for maxMs starts it again", () => {
  const backoff = new Backoff({ minMs: 10, maxMs: 100 }, () => 1);
  assert.deepEqual(
    [0, 99, 99, 100, 0].map((upForMs) => backoff.nextMs(upForMs)),
    [10, 20, 40, 10, 20],
  );
});

test("every wait is between 0 and the ceiling, for any options and any number of attempts", () => {
  fc.assert(
    fc.property(
      fc.nat(10_000),
      fc.nat(100_000),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (minMs, maxMs, dice) => {
        let thrown = 0;
        const backoff = new Backoff({ minMs, maxMs }, () => dice[thrown++] ?? 1);
        for (let attempt = 0; attempt < dice.length + 2_000; attempt += 100) {
          const waitMs = backoff.nextMs();
          assert.ok(waitMs >= 0 && waitMs <= maxMs);
        }
      },
    ),
  );
});

test("full jitter: waits spread over the whole range", () => {
  const first = Array.from({ length: 1_000 }, () => new Backoff({ minMs: 100, maxMs: 100 }).nextMs());
  const quarters = [0, 1, 2, 3].map((quarter) => first.filter((waitMs) => Math.floor(waitMs / 25) === quarter).length);
  assert.ok(
    quarters.every((count) => count > 100),
    String(quarters),
  );
});
