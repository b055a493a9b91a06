import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fault, FaultRounds, whyNoFaults } from "../programs/fault-rounds.ts";

/** Far more than there are: each goes on until the script ends before its fault. */
const MOST = 2_000;
const ROUNDS = 15;
/** So many in a row that weren't reached are the end: not every run writes the same number of times. */
const MISSES = 3;

for (const kind of ["killed", "no-space", "disk-error"] as const satisfies readonly Fault[]) {
  test(`${kind} at every write of a scripted run`, { skip: whyNoFaults }, async (t) => {
    // The other lane tries those between.
    const lanes = [1, 2].map(async (first) => {
      let [nth, last, misses] = [first, 0, 0];
      while (misses < MISSES && nth < MOST) {
        // A new home now and then: each round checks the whole ledger.
        const rounds = new FaultRounds(t);
        // What a first start that was cut off saw of the profile isn't trusted by the next, and asks.
        await rounds.settle();
        for (let round = 0; misses < MISSES && round < ROUNDS; round += 1, nth += 2) {
          const isReached = await rounds.run({ kind, nth });
          if (isReached) last = nth;
          misses = isReached ? 0 : misses + 1;
        }
        await rounds.settle();
      }
      assert.equal(misses, MISSES, `there may be more after ${nth}`);
      return last;
    });
    const reached = Math.max(...(await Promise.all(lanes)));
    t.diagnostic(`${reached} writes`);
    assert.ok(reached > 10, `${reached}`);
  });
}
