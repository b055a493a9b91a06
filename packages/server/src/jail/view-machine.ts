import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isInside } from "../machine/trusted-path.ts";
import type { JailCut } from "./cut-jail.ts";
import { outermost, TEMPORARY } from "./hidden-trees.ts";
import type { JailView, PlaceStep } from "./jail-view.ts";
import type { Hide } from "./places/hide.ts";

export interface ViewFacts {
  readonly cut: JailCut;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** See `hiddenTrees`. */
  readonly hidden: readonly string[];
  /** What of the home may be seen. */
  readonly homeShown: readonly string[];
  /** What is lent to this run: seen wherever it lies. */
  readonly lent: readonly string[];
  /** Files and directories that are never seen, wherever they lie. */
  readonly secrets: readonly Hide[];
  /** What is to be done in the roots, in order. */
  readonly steps: readonly PlaceStep[];
  readonly scratchBytes: number;
}

/** What tools keep of their own accord; without a place for it many don't start. */
const CACHES = [".cache", ".npm", ".local/state"];

/** Puts together what one run sees. */
export function viewMachine({ cut, cwd, roots, hidden, secrets, steps, scratchBytes, ...facts }: ViewFacts): JailView {
  const home = homedir();
  const isHidden = (path: string) => hidden.some((tree) => isInside(path, tree));
  const isShown = (path: string) => !isHidden(path) || roots.some((root) => isInside(path, root));
  const writes = cut.kind === "workspace" || cut.kind === "open";
  const caches = writes ? CACHES.map((name) => join(home, name)) : [];
  const inHome = [...facts.homeShown, ...facts.lent.filter((path) => !isShown(path))];
  const foreseen = foreseenPaths(cut, cwd).filter(({ path }) => !isShown(path) && !isAbove(path, hidden));
  return {
    kind: cut.kind,
    cwd,
    home,
    roots,
    hidden,
    scratch: [...TEMPORARY.filter((path) => hidden.includes(path)), ...caches],
    shown: [...outermost(inHome).map((path) => ({ path, writable: false })), ...foreseen],
    steps: [...steps, ...secrets.filter(({ path }) => isShown(path) && !steps.some((step) => step.path === path))],
    scratchBytes,
  };
}

/** What the command was predicted to touch, though it lies in a tree that is hidden; and where it starts. */
function foreseenPaths(cut: JailCut, cwd: string): { path: string; writable: boolean }[] {
  const writes = cut.kind === "open" ? cut.writes.flatMap(nearest) : [];
  const reads = [...cut.reads, cwd].filter((path) => existsSync(path));
  const shown = [...outermost(writes).map((path) => ({ path, writable: true }))];
  return [...shown, ...outermost(reads).map((path) => ({ path, writable: false }))];
}

/** The file, or the directory in which it would be made. */
function nearest(path: string): string[] {
  if (existsSync(path)) return [path];
  return existsSync(dirname(path)) ? [dirname(path)] : [];
}

/** Showing a hidden tree itself, or what is around one, would show all of it. */
function isAbove(path: string, hidden: readonly string[]): boolean {
  return hidden.some((tree) => isInside(tree, path));
}
