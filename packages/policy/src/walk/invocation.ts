import type { Effect, Span, Word } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import type { Call, Carried, Directory, Draft, Frame } from "../shell/index.ts";

/** Shell text found in a command's words. */
export interface InnerScript {
  readonly text: string;
  readonly span: Span;
  /** It runs in a shell of its own: one that isn't bash is foreign. `positional` are the words that it is given. */
  readonly child?: { readonly foreign: boolean; readonly positional?: readonly Word[] };
}

/** What judging one program found: its effects, and what it runs in turn. */
export interface Judged {
  readonly effects: readonly Effect[];
  readonly inner?: readonly (readonly Word[])[];
  readonly runsBuiltins?: boolean;
  /** What it runs, runs there. */
  readonly directory?: Directory;
  /** It runs that for whatever it finds or reads. */
  readonly sweeps?: boolean;
  /** Commands that may be among its words: looked at for harm only. */
  readonly carried?: readonly Carried[];
  readonly scripts?: readonly InnerScript[];
  /** The effects say all that it does. */
  readonly described?: boolean;
}

export interface Invocation {
  readonly draft: Draft;
  readonly frame: Frame;
  /** All words of this command, its name first. */
  readonly words: readonly Word[];
  /** Those after its name. */
  readonly operands: readonly Word[];
  readonly call: Call;
  readonly site: PathSite;
}
