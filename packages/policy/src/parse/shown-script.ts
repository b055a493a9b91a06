import type { ScriptOmission } from "@countersign/vocabulary";
import type { NamedScript } from "../model/index.ts";

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
  readonly silence?: ScriptOmission | undefined;
}

export type ShowScript = (script: NamedScript) => ShownScript | undefined;
