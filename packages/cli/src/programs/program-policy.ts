import { POLICY_LAYERS } from "@countersign/vocabulary";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, readDuration, subcommand } from "../base/index.ts";

/** `countersign policy …`. */
export function addPolicy(program: Command, finish: Finish): void {
  const policy = subcommand(
    program,
    "policy",
    "See, change, check and try out the policy",
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
  const show = subcommand(
    policy,
    "show",
    "Show settings and entries, with who made them and how often they were used",
    "countersign policy show --effective",
  )
    .addOption(profileOption())
    .option("--effective", "with the organisation's and this repository's policy over it, as it applies here");
  show.action(async () => finish(await (await import("../policy/show.ts")).showPolicy(show.optsWithGlobals())));
  const suggest = subcommand(
    policy,
    "suggest",
    "Suggest what to allow for good and what to remove; changes nothing",
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
      "Allow what fits a pattern, without asking",
      "countersign policy allow 'npm run *' --why 'our scripts' --expires 30d",
    ],
    [
      "deny",
      "Deny what fits a pattern, whatever else allows it",
      "countersign policy deny 'git push ** --force **' --why 'use --force-with-lease'",
    ],
  ] as const;
  for (const [action, description, example] of edits) {
    const edit = subcommand(policy, action, description, example)
      .argument("[pattern]", "one command's words; * is a word or a part of one, ** any further words")
      .option("--why <text>", "the reason; whoever is denied is told it")
      .option("--expires <when>", "until when: 30d, 12h, or a date", toFuture)
      .option("--in <directory>", "only for what runs inside it")
      .option("--repository", "in the repository's own .countersign/policy.json instead of the profile")
      .addOption(profileOption());
    if (action === "allow") {
      edit
        .option("--like <command>", "instead of a pattern: what `allow-always` would save for this command")
        .option("--ceiling <json>", 'how far it may go: {"kinds": […], "risk": "…", "roots": […] …}');
    }
    edit.action(async (pattern: string | undefined) =>
      finish(await (await import("../policy/edit.ts")).editPolicy({ action, pattern }, edit.optsWithGlobals())),
    );
  }
  const remove = subcommand(policy, "remove", "Remove entries", "countersign policy remove 3f9c2a1b")
    .argument(
      "<entry>",
      "its id as `policy show` tells it, the end of it, or its pattern; also what was allowed for a while",
    )
    .option("--repository", "in the repository's own .countersign/policy.json instead of the profile")
    .addOption(profileOption());
  remove.action(async (entry: string) =>
    finish(await (await import("../policy/edit.ts")).removeEntry(entry, remove.optsWithGlobals())),
  );
}

function addNarrowing(policy: Command, finish: Finish): void {
  const narrow = subcommand(
    policy,
    "narrow",
    "Put narrower entries in the place of one that allows",
    "countersign policy narrow 'npm run **' 'npm run test' 'npm run lint' --expires 30d",
  )
    .argument("<entry>", "its id as `policy show` tells it, the end of it, or its pattern")
    .argument("<pattern...>", "what is allowed instead; what isn't said of it is as it was")
    .option("--why <text>", "the reason")
    .option("--expires <when>", "until when: 30d, 12h, or a date", toFuture)
    .option("--in <directory>", "only for what runs inside it")
    .option("--ceiling <json>", 'how far it may go: {"kinds": […], "risk": "…", "roots": […] …}')
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
    .argument("<setting=value...>", "as `policy show` tells them")
    .addOption(profileOption());
  set.action(async (settings: string[]) =>
    finish(await (await import("../policy/narrow.ts")).setSettings(settings, set.optsWithGlobals())),
  );
}

function addTrying(policy: Command, finish: Finish): void {
  const check = subcommand(
    policy,
    "check",
    "Run a policy file's own examples, and find entries that don't do what they seem to",
    "countersign policy check .countersign/policy.json",
  )
    .argument("<file>", "a profile, a repository's or an organisation's policy")
    .addOption(new Option("--as <layer>", "how to read it (default: by its name)").choices(POLICY_LAYERS))
    .option("--cwd <directory>", "where the examples run, as text (default: some project)");
  check.action(async (file: string) =>
    finish(await (await import("../policy/check.ts")).checkPolicyFile(file, check.optsWithGlobals())),
  );
  const replay = subcommand(
    policy,
    "replay",
    "Tell which commands of the past another profile would decide otherwise",
    "countersign policy replay new-profile.json --since 7d",
  )
    .argument("<file>", "a profile as it would be")
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
    "Let a repository's own policy allow what it says, as long as its file stays as it is",
    "countersign policy trust",
  )
    .argument("[directory]", "in the repository (default: here)")
    .option("--yes", "don't ask; it was looked at before")
    .option("--remove", "take the trust back");
  trust.action(async (directory: string | undefined) =>
    finish(await (await import("../policy/trust.ts")).trustRepository(directory, trust.optsWithGlobals())),
  );
}

function profileOption(): Option {
  return new Option("--profile <id>", "which profile").default("default");
}

function sinceOption(): Option {
  return new Option("--since <when>", "how far back: 30d, 12h, or a date").argParser(toPast).default("30d");
}

function toFuture(text: string): number {
  const atMs = readDuration(text, { nowMs: Date.now(), sign: 1 });
  if (atMs !== undefined && atMs > Date.now()) return atMs;
  throw new InvalidArgumentError("Give a time to come, as 30d, 12h, 90m, 4w or 2030-12-31.");
}

function toPast(text: string): string {
  if (readDuration(text, { nowMs: Date.now(), sign: -1 }) !== undefined) return text;
  throw new InvalidArgumentError("Give a time, as 30d, 12h, 90m, 4w or 2026-01-31.");
}
