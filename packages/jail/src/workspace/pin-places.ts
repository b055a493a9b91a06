import { dirname } from "node:path";
import { comparePaths, type Entry, isInside, kindAt, readDirectory, realPath } from "@countersign/core/host/fs";
import { JailError } from "../base/index.ts";
import type { PlaceStep } from "../plan/index.ts";
import { type HiddenPath, hiddenPathAt, type Places } from "../sensitive/index.ts";

export interface PinFacts {
  readonly root: string;
  readonly places: Places;
  /**
   * What an approved effect writes: a place itself, or something in one. A directory around places opens none of them.
   */
  readonly writes: readonly string[];
  /**
   * What an approved effect deletes. Places in it aren't held, or it couldn't be: whether they are gone, or what they were, is
   * looked at after the run.
   */
  readonly removes: readonly string[];
  /** A git write was approved: git directories are open, but not what starts code in them. */
  readonly opensGit: boolean;
  /** Names that are held by placeholders. */
  readonly masks: readonly string[];
}

export interface Pins {
  /** In order: what is around comes before what is inside. */
  readonly steps: readonly PlaceStep[];
  /** Directories that start code and were opened for some of their entries. */
  readonly opened: readonly string[];
  /** Links that start code. No mount can hold them, so that only a look after the run tells. */
  readonly loose: readonly string[];
}

/** Each costs a mount, and bwrap's time grows with their square: this many take about a third of a second. */
const MOST_STEPS = 512;

/**
 * What to do so that nothing in a writable workspace that starts code can be made, changed, moved or replaced, and no secret
 * be read. Every directory on the way to such a place becomes a mount too: whoever could rename it could make another.
 * That holds for secrets as well, or they could be carried where nobody looks.
 */
export function pinPlaces(facts: PinFacts): Pins {
  const { root, places, masks } = facts;
  const closed = closePlaces(facts);
  const hidden = hidePlaces(root, places);
  const steps = settle([...closed.steps, ...masks.map((path) => ({ do: "mask" as const, path })), ...hidden]);
  const held = [...steps.map(({ path }) => path), ...closed.loose];
  const all = settle([...waysTo(held, root), ...steps]);
  const fewer = all.length > MOST_STEPS ? settle([...all, ...hideCrowds(all, root)]) : all;
  if (fewer.length > MOST_STEPS) {
    throw new JailError("TOO_MANY_PLACES", `${root} has ${fewer.length} places that a jail must cover one by one`);
  }
  return { ...closed, steps: fewer };
}

/** What of a workspace is hidden in every jail. What wasn't looked at may hold anything. */
export function hidePlaces(root: string, { secrets, sockets, unseen, unlisted }: Places): HiddenPath[] {
  if (unlisted > 0 || unseen.some(({ path }) => path === root)) {
    throw new JailError("TOO_MANY_PLACES", `${root} is larger than is looked at before a run`);
  }
  return [...secrets, ...sockets, ...unseen.map(({ path }) => path)]
    .map(hiddenPathAt)
    .filter((one) => one !== undefined);
}

function closePlaces({ root, places, writes, removes, opensGit }: PinFacts): Pins {
  const pins = { steps: [] as PlaceStep[], opened: [] as string[], loose: [] as string[] };
  const trees = removes.filter((tree) => tree !== root && isInside(tree, root));
  const changed = [...writes, ...removes];
  const close = (path: string): void => {
    const kind = kindAt(path);
    if (kind === undefined) return;
    if (trees.some((tree) => isInside(path, tree))) return;
    if (writes.includes(path)) return;
    if (kind === "link") {
      pins.loose.push(path);
      const target = targetWithin(path, root);
      if (target !== undefined) pins.steps.push({ do: "read-only", path: target });
    } else if (kind === "directory" && changed.some((one) => isInside(one, path))) {
      const { steps, opened, loose } = openExcept(path, changed);
      pins.steps.push(...steps);
      pins.opened.push(...opened);
      pins.loose.push(...loose);
    } else pins.steps.push({ do: "read-only", path });
  };
  // A file that points to a git directory isn't written by git writes.
  const closedGit = places.gitDirectories.filter((path) => !opensGit || kindAt(path) !== "directory");
  for (const path of [...closedGit, ...places.startsCode]) close(path);
  return pins;
}

const STRENGTH: Record<PlaceStep["do"], number> = { pin: 0, "read-only": 1, mask: 2, hide: 3 };

/** One step for each path, the strongest, parents first, without what lies in something that is closed already. */
function settle(steps: readonly PlaceStep[]): PlaceStep[] {
  const strongest = new Map<string, PlaceStep>();
  for (const step of steps) {
    const known = strongest.get(step.path);
    if (known === undefined || STRENGTH[step.do] > STRENGTH[known.do]) strongest.set(step.path, step);
  }
  const sorted = [...strongest.values()].sort((one, other) => comparePaths(one.path, other.path));
  const kept: PlaceStep[] = [];
  let closed: PlaceStep | undefined;
  let readOnly: PlaceStep | undefined;
  for (const step of sorted) {
    if (closed && isInside(step.path, closed.path)) continue;
    if (step.do !== "hide" && readOnly && isInside(step.path, readOnly.path)) continue;
    if (step.do === "hide" || step.do === "mask") closed = step;
    if (step.do === "read-only") readOnly = step;
    kept.push(step);
  }
  return kept;
}

/** The directories between the root and each of the paths. */
function waysTo(paths: readonly string[], root: string): PlaceStep[] {
  const ways = new Set<string>();
  for (const path of paths) {
    if (!isInside(path, root)) continue;
    for (let way = dirname(path); way !== root && isInside(way, root) && !ways.has(way); way = dirname(way))
      ways.add(way);
  }
  return [...ways].map((path) => ({ do: "pin", path }));
}

/** Directories with many secrets in them (test keys, mostly) are hidden whole. */
function hideCrowds(steps: readonly PlaceStep[], root: string): PlaceStep[] {
  const crowds = Map.groupBy(
    steps.filter((step) => step.do === "hide"),
    ({ path }) => dirname(path),
  );
  return [...crowds]
    .filter(([directory, inside]) => inside.length >= 8 && directory !== root && isInside(directory, root))
    .map(([path]) => ({ do: "hide", path, kind: "directory" }));
}

/** What a link leads to in the workspace, unless that is around the link itself. */
export function targetWithin(link: string, root: string): string | undefined {
  const target = realPath(link);
  return target !== undefined && isInside(target, root) && !isInside(link, target) ? target : undefined;
}

/** Above this the directory stays closed as a whole: each entry costs a mount. */
const MOST_ENTRIES = 200;

interface Opening {
  readonly steps: readonly PlaceStep[];
  /** Directories that were opened for some of their entries only. */
  readonly opened: readonly string[];
  /** Links, over which nothing can be mounted. */
  readonly loose: readonly string[];
}

/**
 * A directory that starts code, closed but for what an approved effect writes inside it: new names can be made there, and
 * everything else that exists is read-only.
 */
function openExcept(directory: string, writes: readonly string[]): Opening {
  const reading = readDirectory(directory, { size: 0, most: MOST_ENTRIES });
  if ("failed" in reading || reading.more)
    return { steps: [{ do: "read-only", path: directory }], opened: [], loose: [] };
  const inner = reading.entries.map((entry) => openEntryExcept(`${directory}/${entry.name}`, entry, writes));
  return {
    steps: [{ do: "pin", path: directory }, ...inner.flatMap(({ steps }) => steps)],
    opened: [directory, ...inner.flatMap(({ opened }) => opened)],
    loose: inner.flatMap(({ loose }) => loose),
  };
}

function openEntryExcept(path: string, { kind }: Entry, writes: readonly string[]): Opening {
  if (writes.includes(path)) return { steps: [], opened: [], loose: [] };
  if (kind === "link") return { steps: [], opened: [], loose: [path] };
  if (kind === "directory" && writes.some((write) => isInside(write, path))) return openExcept(path, writes);
  return { steps: [{ do: "read-only", path }], opened: [], loose: [] };
}
