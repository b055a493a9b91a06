import assert from "node:assert/strict";
import { accessSync, constants, existsSync } from "node:fs";
import { basename } from "node:path";
import type { TestContext } from "node:test";
import { seededRandom } from "../generate/seed.ts";
import { whyNoJail } from "../jail/jail.ts";
import { examples, gatherSafe, type Safe, SHARED } from "./commands.ts";
import { composeCommands } from "./compose.ts";
import { findViolations } from "./find-violations.ts";
import { runTraced } from "./run-traced.ts";

export interface ProofSize {
  /** So many more are put together. */
  readonly made: number;
  /** How many of all are run, by the seed's choice: 1 is all. */
  readonly share: number;
}

/** Runs what we call safe and fails with the first command that does more than was said. */
export async function proveSafe(test: TestContext, { made, share }: ProofSize): Promise<void> {
  const missing = whyNoJail({ strace: true });
  if (missing !== undefined) return test.skip(missing);
  if (!existsSync(SHARED)) test.diagnostic("the shared corpus isn't there: only our own commands are run");
  const pieces = gatherSafe().safe.filter(({ command }) => !command.includes("\n"));
  const random = seededRandom(test);
  const composed = composeCommands(
    random,
    pieces.map(({ command }) => command),
    made,
  );
  const { safe: all, left } = gatherSafe(composed);
  const safe = share === 1 ? all : all.filter(() => random.chance(share));
  const traces = await runTraced(safe.map(({ command }) => command));
  for (const [reason, count] of left) test.diagnostic(`${count} safe commands weren't run: ${reason}`);
  test.diagnostic(`${safe.length} safe commands were run, of ${examples().length} known and ${made} made ones`);
  test.diagnostic(tellPrograms(safe));
  assert.ok(traces.filter((trace) => trace.includes("execve")).length > safe.length / 2, "the traces are empty");
  const violations = safe.flatMap(({ command, classification }, index) =>
    findViolations(traces[index] ?? "", classification)
      .slice(0, 1)
      .map((violation) => `${command}\n  ${violation}`),
  );
  assert.equal(violations.slice(0, 20).join("\n"), "");
}

/** Of the programs that the commands name, those that aren't installed were never really tried. */
function tellPrograms(safe: readonly Safe[]): string {
  const names = new Set(
    safe.flatMap(({ classification }) =>
      classification.parts.filter((part) => !part.builtin).map((part) => basename(part.words[0] ?? "")),
    ),
  );
  const absent = [...names].filter(
    (name) => !["/usr/bin", "/bin", "/usr/sbin"].some((at) => isProgram(`${at}/${name}`)),
  );
  return `${names.size - absent.length} programs were tried; not installed: ${absent.sort().join(" ") || "none"}`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
