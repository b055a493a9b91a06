import type { SyntaxNode } from "unbash";
import { type Draft, doubtSince, type Frame, type Snapshot, snapshot } from "../shell/index.ts";

/** One step of the walk. Steps run in source order: the steps that one returns run before those after it. */
export type Step = () => readonly Step[];

/** The walker, for files that visit one kind of node. */
export interface Walker {
  readonly draft: Draft;
  readonly into: (node: SyntaxNode, frame: Frame) => Step;
  /**
   * Returns steps for the substitutions of any words. They run in a forked shell, before the command that contains
   * them.
   */
  readonly nested: (nodes: readonly SyntaxNode[], frame: Frame) => Step[];
  /** Walks a node again and keeps only its dangerous effects. */
  readonly suspect: (node: SyntaxNode, frame: Frame) => Step;
}

/** Returns a step that adds no further steps. */
export function once(act: () => void): Step {
  return () => {
    act();
    return [];
  };
}

/** Wraps steps that may not run, or not to their end: what they set is uncertain afterwards. */
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
