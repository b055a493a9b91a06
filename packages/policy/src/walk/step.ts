import type { SyntaxNode } from "unbash";
import { type Draft, doubtSince, type Frame, type Snapshot, snapshot } from "../shell/index.ts";

/** One step of the walk. Steps run in source order; a step puts the steps inside it before those that follow. */
export type Step = () => readonly Step[];

/** The walk of one draft, for those who visit one kind of node. */
export interface Walker {
  readonly draft: Draft;
  readonly into: (node: SyntaxNode, frame: Frame) => Step;
  /** The substitutions in any words: they run in a copy of the shell, before the command that they are part of. */
  readonly nested: (nodes: readonly SyntaxNode[], frame: Frame) => Step[];
  /** Walks a node once more for what is dangerous about it, and changes nothing else. */
  readonly suspect: (node: SyntaxNode, frame: Frame) => Step;
}

/** A step that leads no further. */
export function once(act: () => void): Step {
  return () => {
    act();
    return [];
  };
}

/** Steps that may not run, or not to their end: what they set in the shell isn't certain after them. */
export function maybe({ shell }: Frame, steps: readonly Step[]): Step[] {
  let before: Snapshot = shell;
  return [
    once(() => {
      before = snapshot(shell);
    }),
    ...steps,
    once(() => doubtSince(shell, before)),
  ];
}
