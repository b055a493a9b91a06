import assert from "node:assert/strict";
import { it } from "node:test";
import { makeCommands } from "./generate/make-commands.ts";
import { seededRandom } from "./generate/seed.ts";
import { whyNoJail } from "./jail/jail.ts";
import { compareStructure, countVerdicts, describeViolation } from "./structure/compare.ts";

/** What doesn't fit into the time isn't asked: the report says how many were. */
const BUDGET_MS = 120_000;
const MOST = 100_000;
const BATCH = 5_000;

it("bash reads a great many generated commands as we do", async (test) => {
  const missing = whyNoJail({ strace: false });
  if (missing !== undefined) return test.skip(missing);
  const random = seededRandom(test);
  const all: Awaited<ReturnType<typeof compareStructure>> = [];
  const start = performance.now();
  while (all.length < MOST && performance.now() - start < BUDGET_MS) {
    const commands = makeCommands(random, BATCH);
    const verdicts = await compareStructure(commands);
    assert.equal(await describeViolation(commands, verdicts), undefined);
    all.push(...verdicts);
  }
  test.diagnostic(`${all.length} commands: ${countVerdicts(all)}`);
});
