import type { Command } from "commander";
import { type Finish, subcommand } from "./subcommand.ts";

/** `countersign receipts …`. */
export function addReceipts(program: Command, finish: Finish): void {
  const receipts = subcommand(
    program,
    "receipts",
    "Verify, list, follow and export the signed record",
    "countersign receipts verify",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  addVerifying(receipts, finish);
}

function addVerifying(receipts: Command, finish: Finish): void {
  const verify = subcommand(
    receipts,
    "verify",
    "Check every signature, link and checkpoint; needs no hub. Exits 0 whole, 1 broken, 2 unreadable, 3 whole but nobody vouches for the key",
    "countersign receipts verify evidence.jsonl --trust ann.pub.pem --witness /mnt/witness",
  )
    .argument("[path]", "a database, lines of receipts or a bundle (default: the home's own database)")
    .option("--file <path>", "the same")
    .option(
      "--trust <key>",
      "whose signature counts: did:key, fingerprint, PEM or a file with one; repeatable",
      gather,
      [],
    )
    .option("--expect-head <seq:hash>", "a receipt that you wrote down, and that must be there")
    .option("--witness <file>", "checkpoints that were kept elsewhere; repeatable", gather, []);
  verify.action(async (path: string | undefined) =>
    finish(await (await import("./receipts/verify.ts")).verify(path, verify.optsWithGlobals())),
  );
}

function gather(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
