import { homeAt } from "@countersign/core/config";
import { visible } from "@countersign/protocol/text";
import { rebuildAudit, StoreError } from "@countersign/store";
import { CliError, EXIT, type GlobalOptions, homeDirOf } from "../../base/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";

/** Puts a new audit.jsonl, from the ledger, in the place of the one that is there. */
export async function rebuildAuditFile(options: GlobalOptions): Promise<number> {
  const home = homeAt(homeDirOf(options));
  const lines = await rebuild(home);
  if (lines === undefined)
    throw new CliError("FAILED", `${home.dir} has no database yet, so there is nothing to write.`);
  if (options.json) printJson({ file: home.audit, lines });
  else printLines([`Wrote ${lines} lines to ${visible(home.audit)}`]);
  return EXIT.ok;
}

async function rebuild(home: ReturnType<typeof homeAt>): Promise<number | undefined> {
  try {
    return await rebuildAudit(home);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const advice = cause.code === "LOCKED" ? " Stop it first: it goes on writing to the file that is there." : "";
    throw new CliError({ server: cause.code }, `${cause.message}${advice}`, { cause });
  }
}
