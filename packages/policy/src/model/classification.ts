import type { RiskLevel } from "@countersign/vocabulary";
import type { Effect, Span } from "./effect.ts";

/** One simple command of the proposal, at any depth: in a pipeline, in a substitution, behind a wrapper. */
export interface Part {
  readonly span: Span;
  /** Words after quote removal, command word first; `null` stands for a word that isn't literal. */
  readonly words: readonly (string | null)[];
  /** Absolute path on the trusted PATH, or the builtin's name; undefined if neither is known. */
  readonly program?: string;
  readonly builtin: boolean;
  /**
   * A call of an MCP tool or into a sandbox instead of a program. `words` are then the server (`mcp:<name>`), the tool
   * and its arguments, or the sandbox (`sandbox:<id>`), the kind of call and its content.
   */
  readonly toolCall?: true;
  /** A command that a call would run in a sandbox. Only deny entries see it, because it never runs on this machine. */
  readonly elsewhere?: true;
  /** Absolute directory in which it runs; undefined if that isn't certain. */
  readonly directory?: string;
  readonly effects: readonly Effect[];
  /**
   * Index into `Classification.parts` of the wrapper that runs this part (`sudo`, `env`, `bash -c` …).
   * An entry written for the wrapper together with this program (`sudo apt **`) covers both.
   */
  readonly wrapper?: number;
  /** The effects are complete: the catalogue knows the program and each of its words. */
  readonly described?: true;
  /** Files whose code it is about to run (see `findCode`); absent if they aren't known. */
  readonly code?: readonly (readonly string[])[];
}

export interface Classification {
  /** The classified text. */
  readonly command: string;
  /** Risk of the worst effect in a jail; `assess` returns the risk under any enforcement. */
  readonly riskLevel: RiskLevel;
  readonly riskReasons: readonly string[];
  readonly effects: readonly Effect[];
  readonly parts: readonly Part[];
  /**
   * The command couldn't be parsed to its end: it is never safe, and no allow entry covers it. Deny entries still see
   * `parts`.
   */
  readonly opaque: boolean;
}
