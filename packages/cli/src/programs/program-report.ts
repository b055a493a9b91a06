import type { Command } from "commander";
import { type Finish, gather, subcommand } from "../base/index.ts";

/** `countersign report`, `countersign today`. */
export function addReports(program: Command, finish: Finish): void {
  const report = verifying(
    subcommand(
      program,
      "report",
      "What happened in a span of time, counted from receipts that are verified on the way; needs no hub. Exits as receipts verify does",
      "countersign report --from 2026-01-01 --to 2026-02-01 --html january.html --bundle january.json",
    ),
  )
    .option("--from <time>", "since: 2h, 7d, 2026-01-31 (its midnight here) or 2026-01-31T12:00 (default: 7d)")
    .option("--to <time>", "before this moment, which doesn't count itself (default: now)")
    .option("--html <file>", "also write it as a page")
    .option("--bundle <file>", "also write the receipts that it follows from, to verify and count again elsewhere");
  report.action(async () => finish(await (await import("../report/report.ts")).report(report.optsWithGlobals())));
  const today = verifying(
    subcommand(program, "today", "Since midnight, for each agent, in a few lines; needs no hub", "countersign today"),
  );
  today.action(async () => finish(await (await import("../report/today.ts")).today(today.optsWithGlobals())));
}

function verifying(command: Command): Command {
  return command
    .option("--file <path>", "a database, lines of receipts or a bundle (default: the home's own database)")
    .option(
      "--trust <key>",
      "whose signature counts: did:key, fingerprint, PEM or a file with one; repeatable",
      gather,
      [],
    )
    .option("--witness <file>", "checkpoints that were kept elsewhere; repeatable", gather, []);
}
