import { dirname } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import type { JailView } from "../plan/index.ts";
import type { HeldCode, HeldName, HoldFacts } from "./hold-order.ts";
import { walkNames } from "./walk-names.ts";

interface HoldSetting {
  readonly view: JailView;
  /** Paths on which a copy of code is mounted. */
  readonly copies: readonly string[];
  readonly code: readonly HeldCode[];
  /** Trees that are the run's own: nobody else can rename anything in them, and what is mounted there needn't be on disk. */
  readonly own: readonly string[];
}

/** Says what of the machine a jail depends on while it runs. Undefined if code leads nowhere any more. */
export function holdFacts({ view, copies, code, own }: HoldSetting): HoldFacts | undefined {
  const { roots, shown, hidden, steps } = view;
  const points = [...steps.map(({ path }) => path), ...copies];
  const bound = [...roots, ...shown.map(({ path }) => path)];
  const further = [...bound, ...hidden];
  // What a hidden tree is replaced by is the jail's own, up to what is bound into it.
  const isOthers = (path: string) =>
    !own.some((tree) => isInside(path, tree)) &&
    (!hidden.some((tree) => isInside(path, tree)) || bound.some((one) => one !== path && isInside(path, one)));
  const names = new Map<string, HeldName["as"]>();
  for (const path of waysTo([...points, ...further])) if (isOthers(path)) names.set(path, "place");
  const walked = [];
  for (const one of code) {
    const walk = walkNames(one.name);
    if (walk?.end !== one.path) return undefined;
    for (const { path, isLink } of walk.names) if (isOthers(path)) names.set(path, isLink ? "link" : "place");
    walked.push({ ...one, way: walk.names.map(({ path }) => path) });
  }
  for (const { path, stamp } of code) if (stamp !== undefined) names.set(path, "code");
  return { points, further, names: [...names].map(([path, as]) => ({ path, as })), code: walked };
}

/** The paths, and all directories around them but the machine's root. */
function waysTo(paths: readonly string[]): Set<string> {
  const ways = new Set<string>();
  for (const path of paths) for (let way = path; way !== "/" && !ways.has(way); way = dirname(way)) ways.add(way);
  return ways;
}
