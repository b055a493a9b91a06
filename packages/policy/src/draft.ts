import type { ClassifyContext } from "./classification.ts";
import type { Effect, Span } from "./effect.ts";
import { makeEffect } from "./make-effect.ts";
import type { WordReading } from "./read-word.ts";

/** A `Part` while it is being built. */
export interface DraftPart {
  readonly span: Span;
  readonly words: readonly (string | null)[];
  readonly program?: string;
  readonly builtin: boolean;
  readonly directory?: string;
  readonly effects: Effect[];
  readonly wrapper?: number;
  /** Its effects say all that it does: it is in the tables, and so is each of its words. */
  readonly described?: true;
  readonly code?: readonly (readonly string[])[];
}

/** Where relative paths lead at one point of the script. A copy is made wherever bash would fork. */
export interface Directory {
  path: string;
  /** False after a `cd` that may have failed or that leads somewhere unknown; `path` is then the best guess. */
  certain: boolean;
}

/** Everything a node inherits from what surrounds it. */
export interface Frame {
  /** The text that the nodes' offsets count in. */
  readonly source: string;
  readonly directory: Directory;
  /** Set inside text that isn't the proposal's own (`bash -c '…'`): every span there is that word's span. */
  readonly span?: Span;
  readonly wrapper?: number;
  readonly unwraps: number;
  readonly nesting: number;
  readonly inLoop: boolean;
  /** Names of the functions whose bodies we are in. */
  readonly functions: readonly string[];
  /** Inside a pipeline or a background job, where a call of itself doubles. */
  readonly forks: boolean;
}

/** The classification while it is being built. */
export interface Draft {
  readonly context: ClassifyContext;
  readonly parts: DraftPart[];
  /** Effects that belong to no simple command. */
  readonly loose: Effect[];
  opaque: boolean;
  commands: number;
}

/** One simple command, its words read. */
export interface Call {
  readonly span: Span;
  readonly words: readonly WordReading[];
  /** What redirects, assignments and expansions cause: never the program's own. */
  readonly foreign: readonly Effect[];
  /** Literal text that a redirect feeds to its standard input. */
  readonly stdin?: string;
  /** A substitution inside its words downloads something. */
  readonly fedByDownload: boolean;
}

/** Shell text found inside a command, to be walked next. */
export interface Followup {
  readonly source: string;
  readonly frame: Frame;
}

export function markOpaque(draft: Draft, span: Span, sentence: string): void {
  draft.opaque = true;
  draft.loose.push(makeEffect(span, { kind: "obfuscation", ruleId: "shell.opaque", sentence }));
}

export function spanIn(frame: Frame, node: Span): Span {
  return frame.span ?? { pos: node.pos, end: node.end };
}
