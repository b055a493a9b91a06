import { it } from "node:test";
import { proveSafe } from "./oracle/prove.ts";

it("thousands of safe commands write nothing, reach nobody and run only what they name", async (test) => {
  await proveSafe(test, { made: 2_000, share: 1 });
});
