import { isInside } from "@countersign/core/host/fs";
import { cachesIn, homeInJail } from "../base/index.ts";
import {
  type JailPlan,
  type JailView,
  outermost,
  type PlaceStep,
  type PredictedPath,
  TEMPORARY,
} from "../plan/index.ts";
import type { HiddenPath } from "./hidden-paths.ts";
import type { VisibleHome } from "./visible-home.ts";

export interface ViewFacts {
  readonly plan: JailPlan;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** See `hiddenTrees`. */
  readonly hidden: readonly string[];
  readonly predicted: readonly PredictedPath[];
  /** Single files that may be written to. */
  readonly opened: readonly string[];
  /** What of the home may be seen. */
  readonly inHome: VisibleHome;
  /** What is lent to this run: seen wherever it lies. */
  readonly lent: readonly string[];
  /** Files and directories that are never seen, wherever they lie. */
  readonly secrets: readonly HiddenPath[];
  /** What is to be done in the roots and in what was predicted, in order. */
  readonly steps: readonly PlaceStep[];
  readonly scratchBytes: number;
}

/** Puts together what one run sees. */
export function viewMachine(facts: ViewFacts): JailView {
  const { plan, cwd, roots, hidden, predicted, opened, inHome, lent, secrets, steps, scratchBytes } = facts;
  const home = homeInJail(hidden);
  const isIn = (trees: readonly string[]) => (path: string) => trees.some((tree) => isInside(path, tree));
  const sources = new Map(inHome.shown.map(({ path, source }) => [path, source]));
  const shownTrees = [...roots, ...sources.keys(), ...predicted.map(({ path }) => path)];
  const isShown = (path: string) => !isIn(hidden)(path) || isIn(shownTrees)(path);
  const isLent = isIn(lent);
  const writes = plan.kind === "workspace" || plan.kind === "open";
  const readOnly = outermost([...sources.keys(), ...lent.filter((path) => !isShown(path))]);
  return {
    ...{ kind: plan.kind, cwd, home, roots, hidden, scratchBytes },
    scratch: [...TEMPORARY.filter((path) => hidden.includes(path)), ...(writes ? cachesIn(home) : [])],
    shown: [
      ...readOnly.map((path) => ({ path, source: sources.get(path), writable: false })),
      ...predicted.map(asShown),
      ...opened.map((path) => ({ path, writable: true, own: true })),
    ],
    steps: withoutCovered([
      ...steps,
      ...[...inHome.hidden, ...secrets].filter(({ path }) => isShown(path) && !isLent(path)),
    ]),
  };
}

/** git works in no repository of another user's. */
function asShown({ path, kind, writable }: PredictedPath): JailView["shown"][number] {
  return { path, writable, ...(kind === "git" && { own: true }) };
}

/** Each path once, hidden if anything says so; and nothing inside what is hidden whole: there's nothing left to cover. */
function withoutCovered(steps: readonly PlaceStep[]): PlaceStep[] {
  const hides = steps.filter((step) => step.do === "hide");
  const hidden = new Set(hides.map(({ path }) => path));
  const trees = hides.filter(({ kind }) => kind === "directory").map(({ path }) => path);
  const seen = new Set<string>();
  return steps.filter((step) => {
    const { path } = step;
    if (seen.has(path) || (step.do !== "hide" && hidden.has(path))) return false;
    seen.add(path);
    return !trees.some((tree) => tree !== path && isInside(path, tree));
  });
}
