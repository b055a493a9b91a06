import { readFileSync } from "node:fs";
import { StartError } from "@countersign/core/errors";
import { type Served, serve } from "@countersign/hub";
import { checkLedger, type LedgerCheck, readReceipts } from "@countersign/store";
import { CliError, EXIT, type GlobalOptions, onSignals, ourName } from "../../base/index.ts";
import {
  asExpected,
  makeScratch,
  openingLines,
  type Played,
  play,
  type Scratch,
  STEPS,
  stepLines,
} from "../../demo/index.ts";
import { hubLog } from "../../hub-errors/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";

/** Five proposals from start to end, on a hub of its own in a directory of its own. */
export async function demo({ json = false }: GlobalOptions): Promise<number> {
  const scratch = makeScratch();
  const signals = onSignals(() => {
    scratch.remove();
    process.exit(EXIT.aborted);
  });
  try {
    const served = await start(scratch);
    const played = await playAll(served, scratch, json).finally(() => served.close());
    const chain = await checkLedger(readReceipts(served.home.database));
    if (json) printJson(summary(played, chain));
    else printLines(closingLines(chain));
    return chain.whole && played.every(asExpected) ? EXIT.ok : EXIT.failed;
  } finally {
    signals.off();
    scratch.remove();
  }
}

async function start({ home, project }: Scratch): Promise<Served> {
  try {
    return await serve({ homeDir: home, cwd: project, port: 0, log: hubLog("error") });
  } catch (cause) {
    if (cause instanceof StartError)
      throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
    throw cause;
  }
}

async function playAll({ home, url }: Served, { project }: Scratch, json: boolean): Promise<Played[]> {
  const hub = { url, token: readFileSync(home.token, "utf8").trim() };
  const played: Played[] = [];
  if (!json) printLines(openingLines(project));
  for (const [index, step] of STEPS.entries()) {
    const done = await play(step, { homeDir: home.dir, project, hub });
    played.push(done);
    if (!json) printLines(stepLines(index + 1, done));
  }
  return played;
}

function closingLines(chain: LedgerCheck): string[] {
  const found = chain.whole
    ? `ledger: ${chain.count} receipts, whole`
    : `ledger: broken at receipt ${chain.seq} (${chain.code})`;
  return [
    "",
    "Every decision was on record before anything ran, as signed receipts, each chained to the one before:",
    found,
    "",
    `Next: \`${ourName()} serve\` starts your own hub; \`${ourName()} exec -- <command>\` proposes to it.`,
  ];
}

function summary(played: readonly Played[], chain: LedgerCheck): object {
  const steps = played.map((done) => ({
    command: done.step.command,
    asked: done.asked !== undefined,
    ...(done.asked
      ? { riskLevel: done.asked.riskLevel, riskReasons: done.asked.riskReasons, answer: done.step.answer }
      : {}),
    outcome: done.outcome,
    asExpected: asExpected(done),
  }));
  return { steps, ledger: chain };
}
