import { RISK_LEVELS } from "@countersign/vocabulary";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, gather, subcommand } from "../base/index.ts";

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
    .option("--witness <file>", "checkpoints that were kept elsewhere; repeatable", gather, [])
    .option("--responses <file>", "what was answered, to be held against its hashes: a line for each receipt's id")
    .option("--proof <file>", "instead of a record: what receipts prove --json wrote");
  verify.action(async (path: string | undefined) =>
    finish(await (await import("../receipts/verify.ts")).verify(path, verify.optsWithGlobals())),
  );
}

function addReading(receipts: Command, finish: Finish): void {
  const list = filters(
    subcommand(
      receipts,
      "list",
      "List receipts, the newest last; needs no hub",
      "countersign receipts list --from 2h --by person",
    ),
  )
    .option("--file <path>", "another database than the home's")
    .option("--limit <number>", "so many of the newest", toCount, 50);
  list.action(async () => finish(await (await import("../receipts/list.ts")).list(list.optsWithGlobals())));
  const show = subcommand(
    receipts,
    "show",
    "Tell a story in order: who allowed it and how, what ran, how it ended, and whether that is whole; needs no hub",
    "countersign receipts show 01928f3a-7c1e-7000-8000-3f9c2a1b0d4e",
  )
    .argument("<id>", "an approval's, a proposal's, or a receipt's hash, urn or number")
    .option("--file <path>", "another database than the home's");
  show.action(async (id: string) =>
    finish(await (await import("../receipts/show.ts")).show(id, show.optsWithGlobals())),
  );
  const tail = filters(
    subcommand(receipts, "tail", "The newest receipts, a line each, and those to come", "countersign receipts tail -f"),
  )
    .option("--file <path>", "another database than the home's")
    .option("-n, --limit <number>", "so many of the newest", toCount, 10)
    .option("-f, --follow", "go on with those to come, until stopped");
  tail.action(async () => finish(await (await import("../receipts/tail.ts")).tail(tail.optsWithGlobals())));
}

function addSandboxes(receipts: Command, finish: Finish): void {
  const list = subcommand(
    receipts,
    "sandboxes",
    "List the sandboxes on record: what was done in them, and what of it went lost; needs no hub",
    "countersign receipts sandboxes",
  )
    .option("--before <seq>", "those that began before: the `next` of the page before", toPlace)
    .option("--limit <number>", "so many of the newest", toPageSize, 50)
    .option("--file <path>", "another database than the home's");
  list.action(async () => finish(await (await import("../receipts/sandboxes.ts")).sandboxes(list.optsWithGlobals())));
  const story = subcommand(
    receipts,
    "sandbox",
    "Tell what happened in a sandbox, in order: each call, its outcome and hashes, what left it and what explains that, and where frames went lost; needs no hub",
    "countersign receipts sandbox box-1",
  )
    .argument("<id>", "the sandbox's, as in its certificate")
    .option("--after <place>", "those behind this place of the story (default: from its beginning)", toPlace)
    .option("--limit <number>", "so many", toPageSize, 100)
    .option("--file <path>", "another database than the home's");
  story.action(async (id: string) =>
    finish(await (await import("../receipts/sandboxes.ts")).sandboxStory(id, story.optsWithGlobals())),
  );
}

function addExporting(receipts: Command, finish: Finish): void {
  const out = filters(
    subcommand(
      receipts,
      "export",
      "Write receipts as they were signed, to be verified on another machine; needs no hub",
      "countersign receipts export --bundle evidence.json --session 3f9c2a1b",
    ),
  )
    .option("--jsonl <file>", "all of them, one a line")
    .option("--bundle <file>", "all of them, or a selection with proofs that each is in the record, in one file")
    .addOption(new Option("--format <format>", "print it instead of writing a file").choices(["jsonl", "bundle"]))
    .option("--file <path>", "another database than the home's");
  out.action(async () => finish(await (await import("../receipts/export.ts")).exportReceipts(out.optsWithGlobals())));
}

function addProving(receipts: Command, finish: Finish): void {
  const prove = subcommand(
    receipts,
    "prove",
    "Prove that a receipt is in the signed record, or that the record has only grown; needs no hub",
    "countersign receipts prove 42 --json > proof.json",
  )
    .argument("[id]", "a receipt's number, hash or urn")
    .option("--checkpoint <size|file>", "in this one instead of the newest: by its size, or as a note")
    .option("--from <size|file>", "that the record has grown since: a number of receipts, or a checkpoint")
    .option("--to <size|file>", "up to here instead of the newest checkpoint")
    .option("--file <path>", "another database than the home's");
  prove.action(async (id: string | undefined) =>
    finish(await (await import("../receipts/witness/prove.ts")).prove(id, prove.optsWithGlobals())),
  );
}

function addWitnessing(receipts: Command, finish: Finish): void {
  const witness = subcommand(
    receipts,
    "witness",
    "Hold the hub's record against what this device remembers of it, as watch does; exits 1 where it isn't what it was",
    "countersign receipts witness",
  ).option("--forget", "accept what the hub shows now, after you have found out why it differs");
  witness.action(async () =>
    finish(await (await import("../receipts/witness/witness-command.ts")).witness(witness.optsWithGlobals())),
  );
}

function addRotating(receipts: Command, finish: Finish): void {
  const rotate = subcommand(
    receipts,
    "rotate",
    "Change the key that signs the record to the one that was committed to, and destroy the old one",
    "countersign receipts rotate",
  ).option("--yes", "don't ask");
  rotate.action(async () => finish(await (await import("../receipts/rotate.ts")).rotate(rotate.optsWithGlobals())));
}

function filters(command: Command): Command {
  return command
    .option("--from <time>", "since: 2h, 7d, 2026-01-31 or 2026-01-31T12:00")
    .option("--to <time>", "before")
    .option("--session <id>", "of an agent's session")
    .option("--chain <id>", "of one chain")
    .option("--sandbox <id>", "of a sandbox")
    .option("--type <type>", "decided, started, ended, policy-changed …, or an action's type")
    .addOption(
      new Option("--risk <level>", "of the action, or as it was classified").choices([
        ...["low", "medium", "high", "critical"],
        ...RISK_LEVELS,
      ]),
    )
    .option(
      "--by <who>",
      "who or what decided: person, policy, entry, floor, timeout …, a person's name, a device's id",
    );
}

/** A page of the API. */
const MAX_PAGE = 500;

function toPageSize(text: string): number {
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= MAX_PAGE) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${MAX_PAGE}.`);
}

function toPlace(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a number from 0.");
}

const MAX_LISTED = 100_000;

function toCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count >= 1 && count <= MAX_LISTED) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${MAX_LISTED}.`);
}
