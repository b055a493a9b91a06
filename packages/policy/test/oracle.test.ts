import { it } from "node:test";
import { proveSafe } from "./oracle/prove.ts";

it("what is called safe writes nothing, reaches nobody and runs only what it names", async (test) => {
  await proveSafe(test, { made: 100, share: 0.25 });
});
