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
  /** With more operands than this, it writes files (`uniq in out`). */
  readonly maxOperands?: number;
  readonly minOperands?: number;
  /** Form of every operand (`date +%F`). */
  readonly operandForm?: string;
  /** Form that no word may have: options that `--*` must not match, addresses of other machines. */
  readonly refuses?: string;
  /** Form that no literal word may have; other words aren't checked. */
  readonly avoids?: string;
  /** Options one of which must be given (`crontab -l`). */
  readonly requires?: readonly string[];
  /** No option, known or not, can write or run anything, so words that may expand to options are harmless. */
  readonly inert?: true;
  /** Shows names, sizes and dates, never contents. */
  readonly namesOnly?: true;
  /** Words are never options (`echo`). */
  readonly noOptions?: true;
  /** Options end at the first operand. */
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
  /** Programs that it runs itself. */
  readonly runs?: readonly string[];
  /** `@file` is replaced by the words in that file. */
  readonly responseFiles?: true;
  /** Options that follow links, which may lead out of the workspace. */
  readonly follows?: readonly string[];
  /** `-5` is a number of lines. */
  readonly dashNumber?: true;
  /** Options that descend into directories; `"*"`: always. */
  readonly recursive?: readonly string[];
  /** Reads the working directory if there is no operand. */
  readonly readsCwd?: true;
  /**
   * Harmless only in a jail. true: may run code of the workspace, so it never gets the network or a login without a
   * question. data: shows the environment or processes, leaves files, or reads settings of the workspace that run
   * nothing.
   */
  readonly reliesOnJail?: true | "data";
  /** With `reliesOnJail: true`, the code that it may run, as the object of "Runs" (`what rust-toolchain.toml names`). */
  readonly loads?: string;
  /** Queries a service with the tool's own login: every word must be literal. SERVICES names its hosts. */
  readonly service?: true;
}

/** A use of a program, chosen by a subcommand. */
export interface Use extends Usage {
  /**
   * Subcommands with the same use, each with all its words: `status`, `remote show`. A star at the end of a word
   * matches any further text (`* describe-*`), a word of two stars matches one or more of the tool's `groups` (`**
   * list`).
   */
  readonly commands: readonly string[];
  /** A regular expression of subcommands that the stars don't include (`get-secret-value`). */
  readonly except?: string;
  /** Options allowed between the words of the subcommand (`docker compose -f x ps`). */
  readonly between?: string;
}

/**
 * One program with its known uses. Its own fields describe it without a subcommand; with `uses`, its options may
 * precede one.
 */
export interface Tool extends Usage {
  readonly names: readonly string[];
  /** Several may have the same subcommand; the first match counts. */
  readonly uses?: readonly Use[];
  /** False if it changes something without a subcommand (`yarn` installs). */
  readonly alone?: false;
  /** Words that only lead to subcommands and are never an operand (`gcloud compute instances list`). */
  readonly groups?: string;
  /** Its own options are also allowed after the subcommand. */
  readonly optionsAnywhere?: true;
  readonly examples: { readonly safe: readonly string[]; readonly notSafe: readonly string[] };
}

export type Language = "awk" | "bc" | "dc" | "jq" | "mysql" | "psql" | "sed" | "sqlite" | "yq";
