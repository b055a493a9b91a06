import { basename } from "node:path";
import { type Suggestion, suggest } from "@countersign/hub";
import { quoteWords, visible } from "@countersign/protocol/text";
import { EXIT, type GlobalOptions, ourName } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { knownProfile, withOffline } from "./offline.ts";
import { sinceMs } from "./since.ts";

export interface SuggestOptions extends GlobalOptions {
  readonly profile: string;
  readonly since: string;
}

/** Tells what to type; types nothing itself. */
export async function suggestPolicy(options: SuggestOptions): Promise<number> {
  const { profile } = options;
  const suggestions = await withOffline(options, (offline) =>
    suggest(offline, {
      profileId: knownProfile(offline, profile),
      sinceMs: sinceMs(options.since),
      nowMs: Date.now(),
    }),
  );
  const told = suggestions.map((one) => ({ ...one, apply: commandsFor(one, profile) }));
  if (options.json) printJson(told);
  else if (told.length === 0) printLines(["Nothing to suggest."]);
  else printLines(told.flatMap(suggestionLines));
  return EXIT.ok;
}

function commandsFor(suggestion: Suggestion, profile: string): string[] {
  const which = profile === "default" ? [] : ["--profile", profile];
  const type = (words: readonly string[]) => `${ourName()} ${quoteWords(["policy", ...words, ...which])}`;
  if (suggestion.kind === "allow") {
    return [type(["allow", "--like", suggestion.command, "--in", suggestion.directory])];
  }
  const { id, instead = [] } = suggestion;
  return [type(["remove", id]), ...instead.map((command) => type(["allow", "--like", command]))];
}

function suggestionLines(suggestion: Suggestion & { readonly apply: readonly string[] }): string[] {
  return [sentence(suggestion), ...suggestion.apply.map((command) => `  ${visible(command)}`)];
}

function sentence(suggestion: Suggestion): string {
  if (suggestion.kind === "remove") return `\`${visible(suggestion.pattern)}\`: ${visible(suggestion.why)}. Remove it?`;
  const { command, directory, allowed, sessions } = suggestion;
  const where = visible(basename(directory) || directory);
  const how = `${allowed} times in ${where} (${sessions} ${sessions === 1 ? "session" : "sessions"}, never denied)`;
  return `You allowed \`${visible(command)}\` ${how}. Always allow it here?`;
}
