import assert from "node:assert/strict";
import { it } from "node:test";
import { makeCommands } from "./generate/make-commands.ts";
import { seededRandom } from "./generate/seed.ts";
import { whyNoJail } from "./jail/jail.ts";
import { compareStructure, countVerdicts, describeViolation } from "./structure/compare.ts";

/** A count, not a time: a faster machine mustn't be asked about others. */
const COUNT = 20_000;
const BATCH = 5_000;

it("bash reads a great many generated commands as we do", async (test) => {
  const missing = whyNoJail({ strace: false });
  if (missing !== undefined) return test.skip(missing);
  const random = seededRandom(test);
  const all: Awaited<ReturnType<typeof compareStructure>> = [];
  while (all.length < COUNT) {
    const commands = makeCommands(random, BATCH);
    const verdicts = await compareStructure(commands);
    assert.equal(await describeViolation(commands, verdicts), undefined);
    all.push(...verdicts);
  }
  test.diagnostic(`${all.length} commands: ${countVerdicts(all)}`);
});
