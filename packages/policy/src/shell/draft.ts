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
  /** Its effects say all that it does: it is in the tables, and so is each of its words. */
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
  /** Functions in the order of their definition. */
  readonly definitions: Definition[];
  /** Texts with a substitution in them that runs if anything evaluates them. */
  readonly hidden: HiddenText[];
  /** What names stand for, if bash expands aliases. */
  readonly aliases: Map<string, string>;
  /** Text waits for a signal: what is defined meanwhile may change what it means. */
  traps: boolean;
  /** Files that something downloaded into. */
  readonly downloads: Set<string>;
  /** Files that literal text was written to, with all of it. */
  readonly written: Map<string, string>;
  /** Whose words it runs, where that is certain. */
  readonly sender: Sender | undefined;
}

interface HiddenText {
  readonly text: string;
  readonly span: Span;
}

/** One simple command, its words read. */
export interface Call {
  readonly span: Span;
  readonly words: readonly Word[];
  /** What redirects, assignments and expansions cause: never the program's own. */
  readonly foreign: readonly Effect[];
  /** Literal text that a redirect feeds to its standard input. */
  readonly stdin: string | undefined;
  /** A substitution inside its words downloads something. */
  readonly fedByDownload: boolean;
  /** The commands of the substitutions inside its words. */
  readonly fedBy: readonly DraftPart[];
}

/** What a command runs that is shell code itself, to be walked next: text, or the body of a function with its words. */
export type Followup =
  | { readonly kind: "source"; readonly source: string; readonly frame: Frame }
  | {
      readonly kind: "function";
      readonly definition: Definition;
      readonly positional: Positional;
      readonly frame: Frame;
      /** It isn't certain that the name stands for it: only what is dangerous about it counts. */
      readonly suspected: boolean;
    }
  | { readonly kind: "carried"; readonly carried: Carried; readonly call: Call; readonly frame: Frame };

/** Remembers a text that would run a command if it was evaluated once more: `a[$(…)]`. */
export function noteHidden({ hidden }: Draft, text: string, span: Span): void {
  if (hidden.length < MAX_HIDDEN && /\$\(|`/.test(text)) hidden.push({ text, span });
}

export function markOpaque(draft: Draft, span: Span, sentence: string): void {
  draft.opaque = true;
  draft.loose.push(makeEffect(span, { kind: "obfuscation", ruleId: "shell.opaque", sentence }));
}

/** What the words at this point of the script are read with. */
export function knowledgeOf({ machine }: Draft, { directory, shell }: Frame): Knowledge {
  return { home: machine.home, cwd: directory.path, shell, tries: 0, downloaded: false };
}

export function spanIn(frame: Frame, node: Span): Span {
  if (frame.span !== undefined) return frame.span;
  // The parser counts past the end of a text that ends too early.
  const { length } = frame.source;
  return { pos: Math.min(node.pos, length), end: Math.min(node.end, length) };
}

/** Whose words a proposal runs. */
export interface Sender {
  /** The pipeline or command that runs them. */
  readonly span: Span;
  readonly sentence: string;
}

/** What is said of the interpreter at `span`. */
export function senderAt({ sender }: Draft, span: Span): string | undefined {
  return sender !== undefined && span.pos >= sender.span.pos && span.end <= sender.span.end
    ? sender.sentence
    : undefined;
}

/** A command that may be among the words of another: as words, or as text for a shell. */
export interface Carried {
  readonly words?: readonly Word[];
  readonly text?: string;
  readonly where?: Carrier["where"];
  readonly sweeps: boolean;
}
