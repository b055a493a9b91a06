import type { Command } from "commander";
import { type Finish, gather, subcommand } from "../base/index.ts";

/** `countersign report`, `countersign today`. */
export function addReports(program: Command, finish: Finish): void {
  const report = verifying(
    subcommand(
      program,
      "report",
      "Count what happened in a period, from verified receipts",
      "countersign report --from 2026-01-01 --to 2026-02-01 --html january.html --bundle january.json",
    ),
  )
    .option("--from <time>", "start: 2h, 7d, 2026-01-31 (local midnight) or 2026-01-31T12:00 (default: 7d)")
    .option("--to <time>", "end, exclusive (default: now)")
    .option("--html <file>", "also write an HTML page")
    .option("--bundle <file>", "also write the receipts that were counted, to verify them elsewhere");
  report.action(async () => finish(await (await import("../report/report.ts")).report(report.optsWithGlobals())));
  const today = verifying(subcommand(program, "today", "Summarise today, agent by agent", "countersign today"));
  today.action(async () => finish(await (await import("../report/today.ts")).today(today.optsWithGlobals())));
}

function verifying(command: Command): Command {
  return command
    .option("--file <path>", "a database, JSON lines or a bundle (default: this data directory's database)")
    .option("--trust <key>", "trusted signer: did:key, fingerprint, PEM or a file with one; repeatable", gather, [])
    .option("--witness <file>", "file with checkpoints kept elsewhere; repeatable", gather, []);
}
