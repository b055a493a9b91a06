import type { RiskLevel } from "@countersign/vocabulary";
import type { Effect, Span } from "./effect.ts";

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
