import { test } from "node:test";
import { killRounds } from "../programs/kill-rounds.ts";

test("whichever of the two is killed, thirty times, both have the same ledger, once", async (t) => {
  await killRounds(t, 30);
});
