import assert from "node:assert/strict";
import { test } from "node:test";
import { RELAY_LIMITS } from "./limits.ts";
import { Rates } from "./rate.ts";
import { RelayError } from "./relay-error.ts";

test("a sandbox that sends too much is told when to come again; another isn't", () => {
  const rates = new Rates(RELAY_LIMITS);
  const { frameBurst, framesPerSecond, byteBurst } = RELAY_LIMITS;
  const waits = (code: string, atLeastS: number) => (cause: unknown) =>
    cause instanceof RelayError && cause.code === code && cause.status === 429 && (cause.retryAfterS ?? 0) >= atLeastS;
  rates.take("box", frameBurst, 1);
  assert.throws(() => rates.take("box", frameBurst, 1), waits("TOO_MANY_FRAMES", frameBurst / framesPerSecond - 1));
  rates.take("other", 1, byteBurst);
  assert.throws(() => rates.take("other", 1, byteBurst), waits("TOO_MANY_BYTES", 1));
  assert.throws(() => rates.take("box", frameBurst, 1), waits("TOO_MANY_FRAMES", 1), "what is refused takes nothing");
});
