import { RISK_LEVELS } from "@countersign/vocabulary";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, gather, subcommand } from "../base/index.ts";

/** `countersign receipts …`. */
export function addReceipts(program: Command, finish: Finish): void {
  const receipts = subcommand(
    program,
    "receipts",
    "Verify, list, follow and export receipts",
    "countersign receipts verify",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  addVerifying(receipts, finish);
  addReading(receipts, finish);
  addSandboxes(receipts, finish);
  addExporting(receipts, finish);
  addProving(receipts, finish);
  addWitnessing(receipts, finish);
  addRotating(receipts, finish);
}

function addVerifying(receipts: Command, finish: Finish): void {
  const verify = subcommand(
    receipts,
    "verify",
    "Check every signature, link and checkpoint",
    "countersign receipts verify evidence.jsonl --trust ann.pub.pem --witness /mnt/witness",
  )
    .argument("[path]", "a database, JSON lines or a bundle (default: this data directory's database)")
    .option("--file <path>", "same as [path]")
    .option("--trust <key>", "trusted signer: did:key, fingerprint, PEM or a file with one; repeatable", gather, [])
    .option("--expect-head <seq:hash>", "a receipt that must be in the ledger")
    .option("--witness <file>", "file with checkpoints kept elsewhere; repeatable", gather, [])
    .option("--responses <file>", "responses to compare with their hashes, a JSON line for each receipt id")
    .option("--proof <file>", "verify the output of `receipts prove --json` instead of a ledger");
  verify.action(async (path: string | undefined) =>
    finish(await (await import("../receipts/verify.ts")).verify(path, verify.optsWithGlobals())),
  );
}

function addReading(receipts: Command, finish: Finish): void {
  const list = filters(
    subcommand(receipts, "list", "List receipts, newest last", "countersign receipts list --from 2h --by person"),
  )
    .option("--file <path>", "database (default: this data directory's)")
    .option("--limit <number>", "number of receipts, newest first", toCount, 50);
  list.action(async () => finish(await (await import("../receipts/list.ts")).list(list.optsWithGlobals())));
  const show = subcommand(
    receipts,
    "show",
    "Show the receipts of one proposal, in order, and verify them",
    "countersign receipts show 01928f3a-7c1e-7000-8000-3f9c2a1b0d4e",
  )
    .argument("<id>", "id of an approval or proposal, or a receipt's hash, urn or number")
    .option("--file <path>", "database (default: this data directory's)");
  show.action(async (id: string) =>
    finish(await (await import("../receipts/show.ts")).show(id, show.optsWithGlobals())),
  );
  const tail = filters(
    subcommand(receipts, "tail", "Print the newest receipts, a line each", "countersign receipts tail -f"),
  )
    .option("--file <path>", "database (default: this data directory's)")
    .option("-n, --limit <number>", "number of receipts, newest first", toCount, 10)
    .option("-f, --follow", "keep printing new ones");
  tail.action(async () => finish(await (await import("../receipts/tail.ts")).tail(tail.optsWithGlobals())));
}

function addSandboxes(receipts: Command, finish: Finish): void {
  const list = subcommand(
    receipts,
    "sandboxes",
    "List recorded sandboxes, with their calls and gaps",
    "countersign receipts sandboxes",
  )
    .option("--before <seq>", "only older ones: the previous page's `next`", toPlace)
    .option("--limit <number>", "number of receipts, newest first", toPageSize, 50)
    .option("--file <path>", "database (default: this data directory's)");
  list.action(async () => finish(await (await import("../receipts/sandboxes.ts")).sandboxes(list.optsWithGlobals())));
  const story = subcommand(
    receipts,
    "sandbox",
    "Show a sandbox's calls, network flows and gaps, in order",
    "countersign receipts sandbox box-1",
  )
    .argument("<id>", "the sandbox's id, as in its certificate")
    .option("--after <place>", "only entries after this position (default: 0)", toPlace)
    .option("--limit <number>", "number of entries", toPageSize, 100)
    .option("--file <path>", "database (default: this data directory's)");
  story.action(async (id: string) =>
    finish(await (await import("../receipts/sandboxes.ts")).sandboxStory(id, story.optsWithGlobals())),
  );
}

function addExporting(receipts: Command, finish: Finish): void {
  const out = filters(
    subcommand(
      receipts,
      "export",
      "Export signed receipts, to verify them elsewhere",
      "countersign receipts export --bundle evidence.json --session 3f9c2a1b",
    ),
  )
    .option("--jsonl <file>", "write all receipts, one a line")
    .option("--bundle <file>", "write all receipts, or a selection with inclusion proofs")
    .addOption(new Option("--format <format>", "print instead of writing a file").choices(["jsonl", "bundle"]))
    .option("--file <path>", "database (default: this data directory's)");
  out.action(async () => finish(await (await import("../receipts/export.ts")).exportReceipts(out.optsWithGlobals())));
}

function addProving(receipts: Command, finish: Finish): void {
  const prove = subcommand(
    receipts,
    "prove",
    "Prove that a receipt is in the ledger",
    "countersign receipts prove 42 --json > proof.json",
  )
    .argument("[id]", "a receipt's number, hash or urn")
    .option("--checkpoint <size|file>", "checkpoint to prove against: its size or a file (default: the newest)")
    .option("--from <size|file>", "prove that the ledger has only grown since: a size or a checkpoint file")
    .option("--to <size|file>", "up to this size or checkpoint (default: the newest)")
    .option("--file <path>", "database (default: this data directory's)");
  prove.action(async (id: string | undefined) =>
    finish(await (await import("../receipts/witness/prove.ts")).prove(id, prove.optsWithGlobals())),
  );
}

function addWitnessing(receipts: Command, finish: Finish): void {
  const witness = subcommand(
    receipts,
    "witness",
    "Check that the ledger still extends what this device saw",
    "countersign receipts witness",
  ).option("--forget", "accept the hub's present ledger, after you found out why it differs");
  witness.action(async () =>
    finish(await (await import("../receipts/witness/witness-command.ts")).witness(witness.optsWithGlobals())),
  );
}

function addRotating(receipts: Command, finish: Finish): void {
  const rotate = subcommand(
    receipts,
    "rotate",
    "Replace the signing key with the committed next key",
    "countersign receipts rotate",
  ).option("--yes", "don't ask for confirmation");
  rotate.action(async () => finish(await (await import("../receipts/rotate.ts")).rotate(rotate.optsWithGlobals())));
}

function filters(command: Command): Command {
  return command
    .option("--from <time>", "start: 2h, 7d, 2026-01-31 or 2026-01-31T12:00")
    .option("--to <time>", "end, exclusive")
    .option("--session <id>", "only this agent session")
    .option("--chain <id>", "only this chain")
    .option("--sandbox <id>", "only this sandbox")
    .option("--type <type>", "only this type: decided, started, ended, policy-changed …, or an action's type")
    .addOption(
      new Option("--risk <level>", "only this risk, of the action or the classification").choices([
        ...["low", "medium", "high", "critical"],
        ...RISK_LEVELS,
      ]),
    )
    .option("--by <who>", "only this decider: person, policy, entry, floor, timeout …, a person's name, a device's id");
}

/** A page of the API. */
const MAX_PAGE = 500;

function toPageSize(text: string): number {
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= MAX_PAGE) return count;
  throw new InvalidArgumentError(`Give a number from 1 to ${MAX_PAGE}.`);
}

function toPlace(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number from 0.");
}

const MAX_LISTED = 100_000;

function toCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count >= 1 && count <= MAX_LISTED) return count;
  throw new InvalidArgumentError(`Give a number from 1 to ${MAX_LISTED}.`);
}
