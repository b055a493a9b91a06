import type { NamedScript } from "../model/index.ts";

/** Why the text of a script isn't shown. */
export type ScriptSilence =
  | "NOT_HERE" // no package.json in the directory itself
  | "NOT_NAMED" // package.json has no script of that name
  | "UNREADABLE" // not a file that can be read, or not JSON that every reader takes for the same
  | "TOO_LARGE" // the file or the script is longer than anybody would read
  | "TOO_MANY" // others of the same command are shown
  | "CHANGED"; // it isn't any more what the permit would bind

/** One of the texts that a script's run goes through, such as `pretest`, `test` and `posttest`. */
export interface ScriptText {
  readonly name: string;
  readonly text: string;
  /** Characters at its end that aren't shown. */
  readonly left?: number | undefined;
}

/** What stands in a script: its texts in the order in which they run, or why they aren't here. */
export interface ShownScript {
  readonly file: string;
  readonly runs?: readonly ScriptText[] | undefined;
  readonly silence?: ScriptSilence | undefined;
}

export type ShowScript = (script: NamedScript) => ShownScript | undefined;
