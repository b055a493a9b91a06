import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fault, FaultRounds, whyNoFaults } from "./fault-rounds.ts";

/** Far more than there are: each goes on until the script ends before its fault. */
const MOST = 2_000;
const ROUNDS = 15;

for (const kind of ["killed", "no-space", "disk-error"] as const satisfies readonly Fault[]) {
  test(`${kind} at every write of a scripted run`, { skip: whyNoFaults }, async (t) => {
    // The other lane tries those between.
    const lanes = [1, 2].map(async (first) => {
      let nth = first;
      for (let goesOn = true; goesOn && nth < MOST; ) {
        // A new home now and then: each round checks the whole ledger.
        const rounds = new FaultRounds(t);
        // What a first start that was cut off saw of the profile isn't trusted by the next, and asks.
        await rounds.settle();
        for (let round = 0; goesOn && round < ROUNDS; round += 1) {
          goesOn = await rounds.run({ kind, nth });
          if (goesOn) nth += 2;
        }
        await rounds.settle();
      }
      return nth;
    });
    const reached = Math.max(...(await Promise.all(lanes)));
    t.diagnostic(`${reached} writes`);
    assert.ok(reached > 10 && reached < MOST, `${reached}`);
  });
}
