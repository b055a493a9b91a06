import { POLICY_LAYERS } from "@countersign/vocabulary";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, readDuration, subcommand } from "../base/index.ts";

/** `countersign policy …`. */
export function addPolicy(program: Command, finish: Finish): void {
  const policy = subcommand(
    program,
    "policy",
    "Show, change, check and test the policy",
    "countersign policy show --effective",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  addShowing(policy, finish);
  addEditing(policy, finish);
  addNarrowing(policy, finish);
  addTrying(policy, finish);
  addTrust(policy, finish);
}

function addShowing(policy: Command, finish: Finish): void {
  const show = subcommand(policy, "show", "Show settings and entries", "countersign policy show --effective")
    .addOption(profileOption())
    .option("--effective", "as it applies here: with the organisation's and this repository's policy");
  show.action(async () => finish(await (await import("../policy/show.ts")).showPolicy(show.optsWithGlobals())));
  const suggest = subcommand(
    policy,
    "suggest",
    "Suggest entries to add and to remove; changes nothing",
    "countersign policy suggest --since 30d",
  )
    .addOption(profileOption())
    .addOption(sinceOption());
  suggest.action(async () =>
    finish(await (await import("../policy/suggest.ts")).suggestPolicy(suggest.optsWithGlobals())),
  );
}

function addEditing(policy: Command, finish: Finish): void {
  const edits = [
    [
      "allow",
      "Allow commands that match a pattern without asking",
      "countersign policy allow 'npm run *' --why 'our scripts' --expires 30d",
    ],
    [
      "deny",
      "Deny commands that match a pattern; overrides allow",
      "countersign policy deny 'git push ** --force **' --why 'use --force-with-lease'",
    ],
  ] as const;
  for (const [action, description, example] of edits) {
    const edit = subcommand(policy, action, description, example)
      .argument("[pattern]", "words of one command; * matches a word or part of it, ** any number of words")
      .option("--why <text>", "reason; a denied agent receives it")
      .option("--expires <when>", "expiry: 30d, 12h, or a date", toFuture)
      .option("--in <directory>", "only for commands that run below it")
      .option("--repository", "edit the repository's .countersign/policy.json instead of the profile")
      .addOption(profileOption());
    if (action === "allow") {
      edit
        .option("--like <command>", "instead of a pattern: the entry that `allow-always` saves for this command")
        .option("--ceiling <json>", 'limit: {"kinds": […], "risk": "…", "roots": […] …}');
    }
    edit.action(async (pattern: string | undefined) =>
      finish(await (await import("../policy/edit.ts")).editPolicy({ action, pattern }, edit.optsWithGlobals())),
    );
  }
  const remove = subcommand(policy, "remove", "Remove entries", "countersign policy remove 3f9c2a1b")
    .argument("<entry>", "id from `policy show` or its end, or the pattern; also a temporary grant")
    .option("--repository", "edit the repository's .countersign/policy.json instead of the profile")
    .addOption(profileOption());
  remove.action(async (entry: string) =>
    finish(await (await import("../policy/edit.ts")).removeEntry(entry, remove.optsWithGlobals())),
  );
}

function addNarrowing(policy: Command, finish: Finish): void {
  const narrow = subcommand(
    policy,
    "narrow",
    "Replace an allow entry with narrower ones",
    "countersign policy narrow 'npm run **' 'npm run test' 'npm run lint' --expires 30d",
  )
    .argument("<entry>", "id from `policy show` or its end, or the pattern")
    .argument("<pattern...>", "patterns to allow instead; other fields are copied")
    .option("--why <text>", "reason")
    .option("--expires <when>", "expiry: 30d, 12h, or a date", toFuture)
    .option("--in <directory>", "only for commands that run below it")
    .option("--ceiling <json>", 'limit: {"kinds": […], "risk": "…", "roots": […] …}')
    .addOption(profileOption());
  narrow.action(async (entry: string, patterns: string[]) =>
    finish(await (await import("../policy/narrow.ts")).narrowEntry(entry, patterns, narrow.optsWithGlobals())),
  );
  const set = subcommand(
    policy,
    "set",
    "Change settings of a profile",
    "countersign policy set ask=always assurance=device",
  )
    .argument("<setting=value...>", "setting names from `policy show`")
    .addOption(profileOption());
  set.action(async (settings: string[]) =>
    finish(await (await import("../policy/narrow.ts")).setSettings(settings, set.optsWithGlobals())),
  );
}

function addTrying(policy: Command, finish: Finish): void {
  const check = subcommand(
    policy,
    "check",
    "Check a policy file and run its examples",
    "countersign policy check .countersign/policy.json",
  )
    .argument("<file>", "a profile, or a repository's or organisation's policy")
    .addOption(new Option("--as <layer>", "kind of policy (default: from its name)").choices(POLICY_LAYERS))
    .option("--cwd <directory>", "directory that the examples run in (default: an example project)");
  check.action(async (file: string) =>
    finish(await (await import("../policy/check.ts")).checkPolicyFile(file, check.optsWithGlobals())),
  );
  const replay = subcommand(
    policy,
    "replay",
    "List past commands that a profile would decide differently",
    "countersign policy replay new-profile.json --since 7d",
  )
    .argument("<file>", "the profile to compare")
    .addOption(profileOption())
    .addOption(sinceOption());
  replay.action(async (file: string) =>
    finish(await (await import("../policy/replay.ts")).replayPolicy(file, replay.optsWithGlobals())),
  );
}

function addTrust(policy: Command, finish: Finish): void {
  const trust = subcommand(
    policy,
    "trust",
    "Trust a repository's policy until its file changes",
    "countersign policy trust",
  )
    .argument("[directory]", "a directory in the repository (default: this one)")
    .option("--yes", "don't ask for confirmation")
    .option("--remove", "withdraw the trust");
  trust.action(async (directory: string | undefined) =>
    finish(await (await import("../policy/trust.ts")).trustRepository(directory, trust.optsWithGlobals())),
  );
}

function profileOption(): Option {
  return new Option("--profile <id>", "profile").default("default");
}

function sinceOption(): Option {
  return new Option("--since <when>", "start: 30d, 12h, or a date").argParser(toPast).default("30d");
}

function toFuture(text: string): number {
  const atMs = readDuration(text, { nowMs: Date.now(), sign: 1 });
  if (atMs !== undefined && atMs > Date.now()) return atMs;
  throw new InvalidArgumentError("Give a time in the future: 30d, 12h, 90m, 4w or 2030-12-31.");
}

function toPast(text: string): string {
  if (readDuration(text, { nowMs: Date.now(), sign: -1 }) !== undefined) return text;
  throw new InvalidArgumentError("Give a time: 30d, 12h, 90m, 4w or 2026-01-31.");
}
