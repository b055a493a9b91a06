import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { visible } from "@countersign/protocol/text";
import { backUpFile, checkLedger, type LedgerCheck, readReceipts, StoreError } from "@countersign/store";
import { CliError, EXIT, type GlobalOptions, homeDirOf, homeFiles } from "../../base/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";

/** Copies the store, with or without a running hub, and checks the copy's ledger. */
export async function backup(file: string, options: GlobalOptions): Promise<number> {
  const home = homeDirOf(options);
  const { database } = homeFiles(home);
  if (!existsSync(database))
    throw new CliError("FAILED", `${home} has no database yet, so there is nothing to back up.`);
  const target = resolve(file);
  const check = await copyAndCheck(database, target);
  if (!check.whole) {
    const where = `receipt ${check.seq} of its ledger is broken (${check.code})`;
    throw new CliError(
      "FAILED",
      `${target} was written, but ${where}. Keep it as evidence, and compare it with older backups.`,
    );
  }
  const head = check.head?.hash ?? null;
  if (options.json) printJson({ file: target, entries: check.count, head });
  else
    printLines([
      `Backed up to ${visible(target)}`,
      `ledger: ${check.count} receipts, whole`,
      `head: ${head ?? "none"}`,
    ]);
  return EXIT.ok;
}

async function copyAndCheck(database: string, target: string): Promise<LedgerCheck> {
  try {
    await backUpFile(database, target);
    return await checkLedger(readReceipts(target));
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const advice = cause.code === "EXISTS" ? " Name a file that doesn't exist yet." : "";
    throw new CliError({ server: cause.code }, `${cause.message}${advice}`, { cause });
  }
}
