import type { ScriptOmission } from "@countersign/vocabulary";
import type { NamedScript } from "../model/index.ts";

/** One text of a script's run, such as `pretest`, `test` or `posttest`. */
export interface ScriptText {
  readonly name: string;
  readonly text: string;
  /** Number of characters cut from its end. */
  readonly left?: number | undefined;
}

/** The content of a script: its texts in running order, or why they are missing. */
export interface ShownScript {
  readonly file: string;
  readonly runs?: readonly ScriptText[] | undefined;
  readonly silence?: ScriptOmission | undefined;
}

export type ShowScript = (script: NamedScript) => ShownScript | undefined;
