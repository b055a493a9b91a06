import type { OwnSettings } from "../catalog/places/index.ts";
import type { Effect, RiskLevel, Span } from "../model/index.ts";

/** One simple command found in the proposal, at any depth: in a pipeline, a substitution, behind a wrapper. */
export interface Part {
  readonly span: Span;
  /** Words after quote removal, command word first; `null` stands for a word that isn't literal. */
  readonly words: readonly (string | null)[];
  /** Absolute path on the trusted PATH, the builtin's name, or undefined where neither is known. */
  readonly program?: string;
  readonly builtin: boolean;
  /**
   * A call of an MCP tool or into a sandbox, not a program: `words` are the server (`mcp:<name>`), the tool and its arguments, or the sandbox
   * (`sandbox:<id>`), what kind of call it is and what is asked.
   */
  readonly toolCall?: true;
  /** What a call into a sandbox would run there. Only entries that deny see it: nothing of it is on this machine. */
  readonly elsewhere?: true;
  /** Where it runs, absolute; undefined where that isn't certain. */
  readonly directory?: string;
  readonly effects: readonly Effect[];
  /**
   * Index into `Classification.parts` of the wrapper that runs this part (`sudo`, `env`, `bash -c` …).
   * An entry written for the wrapper together with this program (`sudo apt **`) covers both.
   */
  readonly wrapper?: number;
  /** Its effects say all that it does: it is in the tables, and so is each of its words. */
  readonly described?: true;
  /** Files whose code it is about to run, see `findCode`; absent where that can't be told. */
  readonly code?: readonly (readonly string[])[];
}

export interface Classification {
  /** The text that this is about. */
  readonly command: string;
  /** The worst effect's risk, a jail assumed; `assess` gives it without that assumption. */
  readonly riskLevel: RiskLevel;
  readonly riskReasons: readonly string[];
  readonly effects: readonly Effect[];
  readonly parts: readonly Part[];
  /** The command could not be read to its end: never safe, never covered by an entry. Deny entries still see `parts`. */
  readonly opaque: boolean;
}

/** Everything that `classify` may know about the machine. A missing answer means "not safe". */
export interface ClassifyContext {
  /** Real path of the working directory. */
  readonly cwd: string;
  readonly home: string;
  /** Directories that the proposal may work in, real paths, the workspace first. */
  readonly roots: readonly string[];
  /** The proposal's own environment additions. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and directories of Countersign itself; touching them is the floor. */
  readonly protectedPaths: readonly string[];
  /**
   * The shell that will read the command, by its name or path, where it isn't the bash that we start: an agent that runs the
   * command itself has one of its own. Then nothing is safe that this shell may read otherwise than bash.
   */
  readonly shell?: string;
  /** The program's real path when `name` resolves on the trusted PATH. */
  resolveProgram(name: string): string | undefined;
  /** The path with symlinks resolved as far as it exists, or undefined when that can't be told. */
  realpath(path: string): string | undefined;
  /** The hosts that the user's own settings name, none of them inside `roots`. Without an answer no host is known. */
  hostsIn?(settings: OwnSettings): readonly string[];
}
