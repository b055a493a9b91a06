/**
 * How one use of a program reads its words: an allowlist, so what isn't here isn't safe.
 *
 * `options` is a list of words. What stands behind a name says what it takes:
 *   -l --all        nothing
 *   -n: --lines:    a value, attached or the next word
 *   --color?        a value only after `=`
 *   -c#             a number
 *   -f@             a path that is read
 *   -C/             a directory to work in
 *   -e!             program text in the tool's `language`
 *   --arg:: -f:@    two values; a name and a path that is read
 *   -o=wide|json=*  one of these values; a star at the end stands for any further text
 *   --*             any other long option, where none can change that it only reads; what may is in `refuses`
 */
export interface Usage {
  readonly options: string;
  /**
   * paths:     every operand is read.
   * pattern:   the first operand is text unless one of `patternOptions` was given, the others are read.
   * program:   the first operand is text in `language` unless an option gave one, the others are read.
   * database:  the first operand is read, the others are text in `language`.
   * revisions: names of commits, or paths, or both as in `HEAD:src/a.ts`.
   * text:      no operand names a file.
   * format:    the first operand is a printf format, all the rest text.
   * none:      any operand changes what the tool does.
   */
  readonly operands: "paths" | "pattern" | "program" | "database" | "revisions" | "text" | "format" | "none";
  readonly patternOptions?: readonly string[];
  readonly language?: Language;
  /** More operands than this write files (`uniq in out`). */
  readonly maxOperands?: number;
  readonly minOperands?: number;
  /** Every operand must look like this (`date +%F`). */
  readonly operandForm?: string;
  /** No word may look like this: options that `--*` must not stand for, addresses of other machines. */
  readonly refuses?: string;
  /** No literal word may look like this; a word that isn't literal isn't looked at. */
  readonly avoids?: string;
  /** Only with one of these options is it this use (`crontab -l`). */
  readonly requires?: readonly string[];
  /** No option that exists, known or not, can write or run anything: words that may turn into options are harmless. */
  readonly inert?: true;
  /** Shows names, sizes and dates, never contents. */
  readonly namesOnly?: true;
  /** Words are never options (`echo`). */
  readonly noOptions?: true;
  /** Stops looking for options at the first operand. */
  readonly optionsFirst?: true;
  /**
   * How short options join in one word, where it isn't as getopt does it.
   * none:  never, each is a whole word, with its value after `=` or in the next (`terraform -json`).
   * flags: only those without a value: `tree -Io x y` gives I the word x and o the word y.
   * equals: as getopt does it, but an `=` before the value isn't part of it (`kubectl get -o=json`).
   */
  readonly clusters?: "none" | "flags" | "equals";
  /** The first word may be a cluster without its dash (`tar tzf`). */
  readonly bareCluster?: true;
  /** Programs that it runs for its own work. */
  readonly runs?: readonly string[];
  /** `@file` stands for the words in that file. */
  readonly responseFiles?: true;
  /** These options make it follow links, which may lead out of the workspace. */
  readonly follows?: readonly string[];
  /** `-5` is a number of lines. */
  readonly dashNumber?: true;
  /** These options make it go into directories; `"*"`: it always does. */
  readonly recursive?: readonly string[];
  /** Goes into the working directory when it has no operand. */
  readonly readsCwd?: true;
  /**
   * Harmless only in a jail.
   * true: may run code that it finds in the workspace, so it never gets the network or a login without a question.
   * data: shows the environment or processes, leaves files, or goes by settings of the workspace that run nothing.
   */
  readonly reliesOnJail?: true | "data";
  /** With `reliesOnJail: true`, the code that it may run, as the object of "Runs" (`what rust-toolchain.toml names`). */
  readonly loads?: string;
  /** Reads through the network with the login that the tool has: only literal words, and no others are sent. SERVICES names its hosts. */
  readonly service?: true;
}

/** What a program does under one of its subcommands. */
export interface Use extends Usage {
  /**
   * Subcommands that are used alike, each with all its words: `status`, `remote show`. A star at the end of a word stands
   * for any further text (`* describe-*`), a word of two stars for one or more of the tool's `groups` (`** list`).
   */
  readonly commands: readonly string[];
  /** A regular expression: subcommands with stars that fit it aren't meant (`get-secret-value`). */
  readonly except?: string;
  /** Options that may stand between the words of the subcommand (`docker compose -f x ps`). */
  readonly between?: string;
}

/**
 * One program whose uses are known. Without `uses` the fields of its own are all; with them they tell of the program called
 * without a subcommand, and its options may stand before one.
 */
export interface Tool extends Usage {
  readonly names: readonly string[];
  /** Several may have the same subcommand: the first that fits counts. */
  readonly uses?: readonly Use[];
  /** Called without a subcommand it does more than tell (`yarn` installs). */
  readonly alone?: false;
  /** Words that only lead to subcommands and are none themselves, nor ever an operand's place (`gcloud compute instances list`). */
  readonly groups?: string;
  /** Its own options may also stand after the subcommand. */
  readonly optionsAnywhere?: true;
  readonly examples: { readonly safe: readonly string[]; readonly notSafe: readonly string[] };
}

export type Language = "awk" | "bc" | "dc" | "jq" | "mysql" | "psql" | "sed" | "sqlite" | "yq";
