import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { homeDirectory } from "@countersign/core/host";
import { isInside, kindAt } from "@countersign/core/host/fs";
import { placeMeaning } from "@countersign/policy";
import { outermost } from "./hidden-trees.ts";
import type { JailPlan } from "./plan-jail.ts";

/** Something in a hidden tree that a run was predicted to touch, so that its jail shows it. */
export interface PredictedPath {
  readonly path: string;
  /** `git`: a directory of git's own, to which the workspace is linked. */
  readonly kind: "file" | "directory" | "git";
  readonly writable: boolean;
}

export interface PredictionFacts {
  readonly plan: JailPlan;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly hidden: readonly string[];
}

/** What was predicted to be read, and where it starts; in an open jail also what was predicted to be written. Never a secret. */
export function predictPaths({ plan, cwd, roots, hidden }: PredictionFacts): PredictedPath[] {
  const isWanted = (path: string) =>
    hidden.some((tree) => isInside(path, tree)) &&
    !roots.some((root) => isInside(path, root)) &&
    // Showing a hidden tree itself, or what is around one, would show all of it.
    ![...hidden, homeDirectory()].some((tree) => isInside(tree, path)) &&
    !placeMeaning(path, homeDirectory()).secret;
  const writes = outermost(
    (plan.kind === "open" ? [...plan.writes, ...plan.removes].flatMap(nearest) : []).filter(isWanted),
  );
  const reads = outermost([...plan.reads, cwd].filter((path) => existsSync(path) && isWanted(path)));
  return [
    ...reads.filter((path) => !writes.some((one) => isInside(path, one))).map((path) => of(path, false)),
    ...writes.map((path) => of(path, true)),
  ];
}

function of(path: string, writable: boolean): PredictedPath {
  return { path, kind: kindAt(path) === "directory" ? "directory" : "file", writable };
}

/** The file, or the directory in which it would be made. */
function nearest(path: string): string[] {
  if (existsSync(path)) return [path];
  return existsSync(dirname(path)) ? [dirname(path)] : [];
}
