import assert from "node:assert/strict";
import { it } from "node:test";
import { makeCommands } from "./generate/make-commands.ts";
import { seededRandom } from "./generate/seed.ts";
import { whyNoJail } from "./jail/jail.ts";
import { compareStructure, countVerdicts, describeViolation } from "./structure/compare.ts";

it("bash reads generated commands as we do", async (test) => {
  const missing = whyNoJail({ strace: false });
  if (missing !== undefined) return test.skip(missing);
  const commands = makeCommands(seededRandom(test), 1_500);
  const verdicts = await compareStructure(commands);
  test.diagnostic(countVerdicts(verdicts));
  assert.equal(await describeViolation(commands, verdicts), undefined);
});
