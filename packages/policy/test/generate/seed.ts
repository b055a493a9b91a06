import type { TestContext } from "node:test";
import { Random } from "./random.ts";

/** The same commands in every run, unless COUNTERSIGN_PROOF_SEED asks for others. */
const DEFAULT_SEED = 20_251;

export function seededRandom(test: TestContext): Random {
  const given = Number(process.env.COUNTERSIGN_PROOF_SEED);
  const seed = Number.isSafeInteger(given) && given > 0 ? given : DEFAULT_SEED;
  test.diagnostic(`seed ${seed} (COUNTERSIGN_PROOF_SEED=${seed} repeats this run)`);
  return new Random(seed);
}
