import { basename, dirname } from "node:path";
import { isInside, kindAt, outermostPaths, readDirectory } from "@countersign/core/host/fs";
import { type Places, RUN_BY_GIT } from "../sensitive/index.ts";
import { isSame, type Stamp } from "./entry-stamp.ts";
import type { LookFacts } from "./look-journal.ts";
import { notMadeByGit } from "./not-made-by-git.ts";

/** As many entries of a planted directory are told apart from approved ones in it. */
const MOST_ENTRIES = 10_000;

/** A workspace after a run, and what is known of it. */
export interface Scene {
  readonly facts: LookFacts;
  readonly places: Places;
  readonly stamps: ReadonlyMap<string, Stamp>;
  /** What is to stand there. */
  readonly expected: ReadonlyMap<string, Stamp>;
  /** Other runs that may write at a path now: what they are approved to change is for their own look. */
  others(path: string): readonly LookFacts[];
  /** An untouched placeholder. */
  isOurs(path: string): boolean;
  /** Asked right before something is called changed, since another look may have ended in the meantime. */
  recheck(path: string): { readonly expected: Stamp | undefined; readonly now: Stamp | undefined };
}

export interface Look {
  /** Starts code and wasn't there before: outermost, and without what was approved. */
  readonly planted: readonly string[];
  /** Was there before, and is different. */
  readonly changed: readonly string[];
  /** Was there before, and isn't any more. */
  readonly vanished: readonly string[];
  /** Changed, and larger than is compared entry by entry: a person must look. */
  readonly unsure: readonly string[];
  /** What is as it should be now; undefined where nothing is. */
  readonly accepted: readonly (readonly [path: string, stamp: Stamp | undefined])[];
}

/** Compares what starts code with what stood there before the run. */
export function lookAfter(scene: Scene): Look {
  const { facts, stamps, expected } = scene;
  const planted = plantedIn(scene);
  const differing = [...expected.keys()].filter((path) => differs(scene, path));
  const counted = differing.filter((path) => !isOpened(path, expected, facts.writes) && !isAnothers(scene, path));
  const standing = [...counted, ...replacedIn(scene)].filter((path) => kindAt(path) !== undefined);
  const changed = outermostPaths(standing);
  const isChanged = new Set(changed);
  const unsure = changed.filter((path) => expected.get(path)?.partial);
  const missing = counted.filter((path) => kindAt(path) === undefined && !isInTrees(path, facts));
  const vanished = outermostPaths(missing.filter((path) => !isWithin(path, isChanged)));
  const isFlagged = new Set([...planted, ...changed, ...vanished]);
  // Another look may have ended since the walk: what it accepted then is newer than what the walk saw.
  const isStale = (path: string, seen: Stamp) => {
    const then = expected.get(path);
    return then !== undefined && !isSame(then, seen) && !isOpened(path, expected, facts.writes);
  };
  const isSettled = ([path, seen]: readonly [string, Stamp]) =>
    !isWithin(path, isFlagged) && !isAnothers(scene, path) && !scene.isOurs(path) && !isStale(path, seen);
  return {
    planted,
    changed: changed.filter((path) => !unsure.includes(path)),
    vanished,
    unsure,
    accepted: [
      ...[...stamps].filter(isSettled),
      ...differing.filter((path) => kindAt(path) === undefined && !isAnothers(scene, path)).map(gone),
      ...[...isFlagged].flatMap((path) => [...expected.keys()].filter((one) => isInside(one, path)).map(gone)),
    ],
  };
}

/**
 * Places that the run was allowed to write to, and that are others now than before, where another run was open: its mount on such a place
 * fell when the name was replaced, so that it may have written there as well, and nobody can tell which of the two did.
 */
function replacedIn({ facts, expected, recheck }: Scene): string[] {
  if (!facts.shared) return [];
  return [...expected.keys()].filter((path) => {
    if (!expected.get(path)?.top || !(isOpened(path, expected, facts.writes) || isInTrees(path, facts))) return false;
    const { expected: then, now } = recheck(path);
    return then?.inode !== undefined && now !== undefined && then.inode !== now.inode;
  });
}

function gone(path: string): readonly [string, undefined] {
  return [path, undefined];
}

function differs({ stamps, expected, recheck }: Scene, path: string): boolean {
  const [then, seen] = [expected.get(path), stamps.get(path)];
  if (then && seen && isSame(then, seen)) return false;
  // A flooded directory is told by the walk alone.
  if (then && seen?.partial && !then.partial) return true;
  const { expected: still, now } = recheck(path);
  return still !== undefined && !(now && isSame(still, now));
}

function plantedIn(scene: Scene): string[] {
  const { facts, places, expected } = scene;
  const { opensGit, hidden } = facts;
  const isNew = (path: string) =>
    !expected.has(path) &&
    !scene.isOurs(path) &&
    !isAnothers(scene, path) &&
    !hidden.some((one) => isInside(path, one));
  const bare = places.bareRepositories.filter(isNew);
  const found = [...places.gitDirectories, ...places.startsCode].filter(isNew);
  const repositories = new Set([...places.gitDirectories.filter(isNew), ...bare]);
  const plantedAt = (path: string) => {
    if (!opensGit) return isIn(path, bare) || isMadeByAnother(scene, path, repositories) ? [] : [path];
    const strange = isOfGit(path, repositories) ? notMadeByGit(path, { root: facts.root, places }) : [path];
    const around = bare.find((one) => isInside(path, one));
    return strange.length > 0 && around !== undefined ? [headOf(around)] : strange;
  };
  const planted = [
    ...found.flatMap(plantedAt),
    ...(opensGit ? [] : bare.filter((path) => !isMadeByAnother(scene, path, repositories)).map(headOf)),
    ...newEntries(scene).filter(isNew),
  ];
  const standing = planted.filter((path) => kindAt(path) !== undefined);
  const writesAt = (path: string) => [facts, ...scene.others(path)].flatMap(({ writes }) => writes);
  return outermostPaths(standing.flatMap((path) => withoutWrites(path, writesAt(path))));
}

/** In directories that were stamped with all that was in them. Entries that start code by themselves are listed elsewhere. */
function newEntries({ stamps, expected, places, facts }: Scene): string[] {
  const shallow = new Set([...places.gitDirectories, ...places.bareRepositories]);
  return [...stamps].flatMap(([path, { top }]) => {
    const around = dirname(path);
    const known = expected.get(around);
    if (top || expected.has(path) || known?.kind !== "directory" || known.partial || shallow.has(around)) return [];
    return isOpened(path, expected, facts.writes) ? [] : [path];
  });
}

/** What a walk takes for planted may be another run's clone, in the making. */
function isMadeByAnother({ others }: Scene, path: string, repositories: ReadonlySet<string>): boolean {
  return isOfGit(path, repositories) && others(path).some(({ opensGit }) => opensGit);
}

function isAnothers({ others, expected }: Scene, path: string): boolean {
  return others(path).some((facts) => isOpened(path, expected, facts.writes) || isInTrees(path, facts));
}

/** A jail opens a place for a write to it, or to something in it, and not for one around it. */
function isOpened(path: string, expected: ReadonlyMap<string, Stamp>, writes: readonly string[]): boolean {
  if (writes.length === 0) return false;
  let top = path;
  while (top !== "/" && !expected.get(top)?.top) top = dirname(top);
  return writes.some((write) => isInside(path, write) && (write === path || isInside(write, top)));
}

function isInTrees(path: string, { root, removes }: LookFacts): boolean {
  return removes.some((tree) => tree !== root && isInside(tree, root) && isInside(path, tree));
}

/** Without it git doesn't take the directory, which may be someone's sources, for a repository. */
function headOf(bare: string): string {
  return `${bare}/HEAD`;
}

/** Stands in a directory that is a repository only since now: it starts nothing once that isn't one any more. */
function isIn(path: string, bare: readonly string[]): boolean {
  return RUN_BY_GIT.includes(basename(path)) && bare.includes(dirname(path));
}

/** A repository that git made, or a submodule's or worktree's part of one. */
function isOfGit(path: string, repositories: ReadonlySet<string>): boolean {
  return /\/\.git\/(modules|worktrees)\//.test(path) || isWithin(path, repositories);
}

function isWithin(path: string, trees: ReadonlySet<string>): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) if (trees.has(at)) return true;
  return false;
}

/** What of a planted thing wasn't approved: nothing, all of it, or its entries but for those that are written. */
function withoutWrites(path: string, writes: readonly string[]): string[] {
  if (writes.includes(path)) return [];
  if (!writes.some((write) => isInside(write, path)) || kindAt(path) !== "directory") return [path];
  return entriesOf(path).flatMap((entry) => withoutWrites(entry, writes));
}

function entriesOf(directory: string): string[] {
  const reading = readDirectory(directory, { size: 0, most: MOST_ENTRIES });
  return "failed" in reading ? [] : reading.entries.map(({ name }) => `${directory}/${name}`);
}
