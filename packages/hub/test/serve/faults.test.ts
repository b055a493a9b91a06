import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fault, FaultRounds, whyNoFaults } from "../programs/fault-rounds.ts";

/** A few moments of each; `faults.deep.ts` tries every one. */
const SAMPLE: readonly (readonly [Fault, readonly number[]])[] = [
  ["killed", [5, 140]],
  ["no-space", [130]],
  ["disk-error", [4]],
];

test("killed, without space or with a failing disk: nothing acknowledged is lost, nothing ran that isn't on record", {
  skip: whyNoFaults,
}, async (t) => {
  const rounds = new FaultRounds(t);
  await rounds.settle();
  for (const [kind, all] of SAMPLE) {
    for (const nth of all) assert.equal(await rounds.run({ kind, nth }), true, `${kind} ${nth} was never reached`);
  }
  await rounds.settle();
});
