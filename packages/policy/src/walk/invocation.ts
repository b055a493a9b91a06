import type { Effect, Span, Word } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import type { Call, Carried, Directory, Draft, Frame } from "../shell/index.ts";

/** Shell text found in a command's words. */
export interface InnerScript {
  readonly text: string;
  readonly span: Span;
  /** Set if it runs in a new shell. Any shell but bash is foreign. `positional` are the script's arguments. */
  readonly child?: { readonly foreign: boolean; readonly positional?: readonly Word[] };
}

/** What judging one program yields: its effects, and the commands that it runs. */
export interface Judged {
  readonly effects: readonly Effect[];
  readonly inner?: readonly (readonly Word[])[];
  readonly runsBuiltins?: boolean;
  /** Directory of the commands that it runs. */
  readonly directory?: Directory;
  /** Runs them once for each item that it finds or reads. */
  readonly sweeps?: boolean;
  /** Commands that its words may contain; only their harm counts. */
  readonly carried?: readonly Carried[];
  readonly scripts?: readonly InnerScript[];
  /** The effects are complete. */
  readonly described?: boolean;
}

export interface Invocation {
  readonly draft: Draft;
  readonly frame: Frame;
  /** All words, the program's name first. */
  readonly words: readonly Word[];
  /** The words after the name. */
  readonly operands: readonly Word[];
  readonly call: Call;
  readonly site: PathSite;
}
