import type { EffectKind, RiskLevel } from "@countersign/vocabulary";

/** What a pattern searches in the words of a command. Any one of these is enough. */
export interface Condition {
  /** Short options, in any cluster. */
  readonly flags?: string;
  /** Short options that take the rest of their word as a value; a cluster ends at the first of them. */
  readonly valued?: string;
  /** Long options without dashes; abbreviations count. */
  readonly long?: readonly string[];
  readonly words?: readonly string[];
  /**
   * Words before the options that name the action, at any depth (`gcloud compute instances delete`). `delete*` matches
   * all words with that prefix.
   */
  readonly verbs?: readonly string[];
  readonly prefixes?: readonly string[];
  /** In any word, without case. */
  readonly contains?: readonly string[];
  /** A regular expression that a word matches. It must be linear, because the word may be hostile. */
  readonly form?: string;
  /**
   * A word is a web address.
   * remote:  of another machine than this one.
   * foreign: of another machine that isn't one of the forges and registries that everybody gets code from.
   */
  readonly address?: "remote" | "foreign";
}

/**
 * A dangerous pattern for the words of a simple command, without its wrappers. It matches if the subcommand is present
 * (if given), its own condition and `and` match (if given), and `unless` doesn't.
 */
export interface DangerPattern extends Condition {
  readonly id: string;
  readonly programs: readonly string[];
  /** Subcommands, any one of them: `push`, `volume rm`, or a list of its words. */
  readonly sub?: readonly (string | readonly string[])[];
  /** The first word may be a cluster of flags without a dash (`tar xIf`). */
  readonly bareFlags?: true;
  /** Flags and long options count only before the subcommand (`git -c …`, not `git switch -c`). */
  readonly beforeSubcommand?: true;
  /**
   * `contains` and `form` look only at program text.
   * code:       words that can't be plain names, and literal text on standard input.
   * statements: each statement of those, which `;` ends.
   */
  readonly text?: "code" | "statements";
  readonly and?: Condition;
  readonly unless?: Condition;
  /**
   * It counts only when an operand leads there.
   * outside:       out of the workspace.
   * above-secrets: to a directory in which credentials are kept.
   */
  readonly where?: "outside" | "above-secrets";
  readonly kind: EffectKind;
  /** Default: dangerous. */
  readonly risk?: RiskLevel;
  /** Part of the floor: never allowed without a person. */
  readonly floor?: true;
  /** Asks for review even if the catalogue knows each word. */
  readonly insists?: true;
  /** False if it makes the program run something else, which no entry covers. */
  readonly own?: false;
  /** Each operand is a path that it changes. */
  readonly targets?: true;
  /** It changes the directory that it runs in. */
  readonly here?: true;
  readonly sentences: readonly string[];
  /** Names the package.json script that it runs, if it is certain. */
  readonly namesScript?: true;
  readonly examples: { readonly matches: readonly string[]; readonly misses: readonly string[] };
}

type Draft = Omit<DangerPattern, "sentences" | "examples"> & {
  readonly says: string;
  readonly matches: readonly string[];
  readonly misses: readonly string[];
};

export function danger({ says, matches, misses, ...rest }: Draft): DangerPattern {
  return { ...rest, sentences: [`Matches dangerous pattern: ${says}`], examples: { matches, misses } };
}

/**
 * Returns a pattern for an option that makes an ordinary tool run another program. That is never the tool's own effect,
 * so no entry covers it.
 */
export function runsOther(draft: Omit<Draft, "kind" | "own">): DangerPattern {
  return danger({ ...draft, kind: "executes", own: false });
}

export function list(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}

/** Long options for a dry run. */
export const DRY_RUN: Condition = {
  long: ["dry-run", "help", "dryrun", "what-if", "check-only"],
  words: ["-h", "help"],
};
