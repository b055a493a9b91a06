import { test } from "node:test";
import { killRounds } from "../programs/kill-rounds.ts";

test("whichever of the two is killed, both have the same ledger, once, and nothing ran unrecorded", async (t) => {
  await killRounds(t, 1);
});
