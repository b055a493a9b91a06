import type { Carrier } from "../catalog/index.ts";
import { type Effect, MAX_HIDDEN, type Machine, makeEffect, type Span, type Word } from "../model/index.ts";
import type { Definition, Frame, Knowledge, Positional } from "./state.ts";

/** A `Part` while it is being built. */
export interface DraftPart {
  readonly span: Span;
  readonly words: readonly (string | null)[];
  readonly program: string | undefined;
  readonly builtin: boolean;
  readonly directory: string | undefined;
  readonly effects: Effect[];
  readonly wrapper: number | undefined;
  /** The effects are complete: the catalogue knows the program and each of its words. */
  readonly described: boolean;
  readonly code: readonly (readonly string[])[] | undefined;
}

/** The classification while it is being built. */
export interface Draft {
  readonly machine: Machine;
  readonly parts: DraftPart[];
  /** Effects that belong to no simple command. */
  readonly loose: Effect[];
  opaque: boolean;
  commands: number;
  assignments: number;
  /** Functions in order of definition. */
  readonly definitions: Definition[];
  /** Texts that contain a substitution, which runs if anything evaluates them. */
  readonly hidden: HiddenText[];
  /** Alias texts by name, in case bash expands aliases. */
  readonly aliases: Map<string, string>;
  /** A trap was set: functions defined later may change what its text does. */
  traps: boolean;
  /** Files that may contain a download. */
  readonly downloads: Set<string>;
  /** Literal text written to each file so far. */
  readonly written: Map<string, string>;
  /** The host whose text the command runs, if that is certain. */
  readonly sender: Sender | undefined;
}

interface HiddenText {
  readonly text: string;
  readonly span: Span;
}

/** One simple command with its words expanded. */
export interface Call {
  readonly span: Span;
  readonly words: readonly Word[];
  /** Effects of redirects, assignments and expansions: never the program's own. */
  readonly foreign: readonly Effect[];
  /** Literal text that a redirect passes to standard input. */
  readonly stdin: string | undefined;
  /** A substitution in its words downloads something. */
  readonly fedByDownload: boolean;
  /** Commands of the substitutions in its words. */
  readonly fedBy: readonly DraftPart[];
}

/**
 * Shell code that a command runs and that the walk visits next: text, a function's body, or a command among its words.
 */
export type Followup =
  | { readonly kind: "source"; readonly source: string; readonly frame: Frame }
  | {
      readonly kind: "function";
      readonly definition: Definition;
      readonly positional: Positional;
      readonly frame: Frame;
      /** The name may not call this function, so only dangerous effects count. */
      readonly suspected: boolean;
    }
  | { readonly kind: "carried"; readonly carried: Carried; readonly call: Call; readonly frame: Frame };

/** Keeps a text that would run a command if it were evaluated again, like `a[$(…)]`. */
export function noteHidden({ hidden }: Draft, text: string, span: Span): void {
  if (hidden.length < MAX_HIDDEN && /\$\(|`/.test(text)) hidden.push({ text, span });
}

export function markOpaque(draft: Draft, span: Span, sentence: string): void {
  draft.opaque = true;
  draft.loose.push(makeEffect(span, { kind: "obfuscation", ruleId: "shell.opaque", sentence }));
}

/** Returns what is known for expanding words at this point of the script. */
export function knowledgeOf({ machine }: Draft, { directory, shell }: Frame): Knowledge {
  return { home: machine.home, cwd: directory.path, shell, tries: 0, downloaded: false };
}

export function spanIn(frame: Frame, node: Span): Span {
  if (frame.span !== undefined) return frame.span;
  // The parser's offsets exceed the length of a text that ends too early.
  const { length } = frame.source;
  return { pos: Math.min(node.pos, length), end: Math.min(node.end, length) };
}

/** The host whose text a command runs. */
export interface Sender {
  /** The pipeline or command that runs them. */
  readonly span: Span;
  readonly sentence: string;
}

/** Returns the sentence about the interpreter at `span`. */
export function senderAt({ sender }: Draft, span: Span): string | undefined {
  return sender !== undefined && span.pos >= sender.span.pos && span.end <= sender.span.end
    ? sender.sentence
    : undefined;
}

/** A command that may be contained in another's words, as words or as shell text. */
export interface Carried {
  readonly words?: readonly Word[];
  readonly text?: string;
  readonly where?: Carrier["where"];
  readonly sweeps: boolean;
}
