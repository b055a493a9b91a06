import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fault, FaultRounds, whyNoFaults } from "./fault-rounds.ts";

/** Far more than there are: each goes on until the script ends before its fault. */
const MOST = 2_000;

for (const kind of ["killed", "no-space", "disk-error"] as const satisfies readonly Fault[]) {
  test(`${kind} at every write of a scripted run`, { skip: whyNoFaults }, async (t) => {
    // The other lane tries those between; each has a home of its own.
    const lanes = [1, 2].map(async (first) => {
      const lane = new FaultRounds(t);
      await lane.settle();
      let nth = first;
      while (nth < MOST && (await lane.run({ kind, nth }))) nth += 2;
      await lane.settle();
      return nth;
    });
    const reached = Math.max(...(await Promise.all(lanes)));
    t.diagnostic(`${reached} writes`);
    assert.ok(reached > 10 && reached < MOST, `${reached}`);
  });
}
