import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isInside } from "../../machine/trusted-path.ts";
import { notMadeByGit } from "../git/not-made-by-git.ts";
import { kindAt } from "./kind-at.ts";
import { RUN_BY_GIT } from "./look-at-directory.ts";
import { nodePath } from "./path-bytes.ts";
import { outermostPaths } from "./path-order.ts";
import type { Pins } from "./pin-places.ts";
import type { Places } from "./places.ts";
import { readDirectory } from "./read-directory.ts";

/** What stood where before a run, as far as the run could change it. */
export interface Before {
  readonly places: Places;
  /** What nothing held, links and what was to be deleted: a stamp of it. */
  readonly loose: ReadonlyMap<string, string | undefined>;
  /** What was in directories that were opened for some of their entries. */
  readonly carved: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Allowed {
  /** What was looked at. */
  readonly root: string;
  /** What an approved effect writes. */
  readonly writes: readonly string[];
  /** A git write was approved: repositories may be made. */
  readonly opensGit: boolean;
  /** Ours for the time of a run, or made by another run that was allowed to. */
  isAccepted(path: string): boolean;
}

export interface Look {
  /** Places that start code and weren't there before, or aren't what they were: outermost, and without what was allowed. */
  readonly planted: readonly string[];
  /** Those that were allowed. */
  readonly made: readonly string[];
}

/** As many entries of an opened directory are told apart; a new one behind them isn't seen. */
const MOST_ENTRIES = 10_000;
const MOST_STAMPED = 10_000;

/** Taken right before the run. */
export function takeBefore(places: Places, { carved, loose, freed }: Omit<Pins, "steps">): Before {
  // What git makes of its own directory isn't told by a stamp; what it runs from there is listed by itself.
  const stamped = freed.filter((path) => !places.gitDirectories.includes(path) || kindAt(path) !== "directory");
  return {
    places,
    loose: new Map([...loose, ...stamped].map((path) => [path, stampOfTree(path)])),
    carved: new Map(carved.map((path) => [path, namesIn(path)])),
  };
}

/** What was pinned can't have changed, so it is the difference that counts, and no clock. */
export function lookAfter(before: Before, after: Places, allowed: Allowed): Look {
  const { startsCode, gitDirectories, bareRepositories, unseen } = before.places;
  const known = new Set([...startsCode, ...gitDirectories, ...bareRepositories]);
  const isNew = (path: string) =>
    !known.has(path) && !allowed.isAccepted(path) && !unseen.some((one) => isInside(path, one.path));
  const bare = after.bareRepositories.filter(isNew);
  const found = [...after.gitDirectories, ...after.startsCode].filter(isNew);
  const repositories = new Set([...after.gitDirectories.filter(isNew), ...bare]);
  const scanned = { root: allowed.root, places: after };
  const plantedAt = (path: string) => {
    if (!allowed.opensGit) return isIn(path, bare) ? [] : [path];
    const strange = isOfGit(path, repositories) ? notMadeByGit(path, scanned) : [path];
    const around = bare.find((one) => isInside(path, one));
    return strange.length > 0 && around !== undefined ? [headOf(around)] : strange;
  };
  const planted = [
    ...found.flatMap(plantedAt),
    ...(allowed.opensGit ? [] : bare.map(headOf)),
    ...[...before.loose].filter(([path, stamp]) => stampOfTree(path) !== stamp).map(([path]) => path),
    ...[...before.carved].flatMap(([path, names]) => newEntries(path, names)),
  ];
  const standing = planted.filter((path) => kindAt(path) !== undefined);
  const taken = outermostPaths(standing.flatMap((path) => withoutWrites(path, allowed.writes)));
  const isTaken = new Set(taken);
  return { planted: taken, made: [...found, ...bare].filter((path) => !isWithin(path, isTaken)) };
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
  return newEntries(path, new Set()).flatMap((entry) => withoutWrites(entry, writes));
}

function newEntries(directory: string, names: ReadonlySet<string>): string[] {
  return [...namesIn(directory)].filter((name) => !names.has(name)).map((name) => `${directory}/${name}`);
}

function namesIn(directory: string): ReadonlySet<string> {
  const reading = readDirectory(directory, { size: 0, most: MOST_ENTRIES });
  return new Set("failed" in reading ? [] : reading.entries.map(({ name }) => name));
}

/** Of a place and all that is in it; what is too large never has the same one twice. */
function stampOfTree(path: string): string | undefined {
  const stamps: (string | undefined)[] = [];
  const todo = [path];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    stamps.push(stampAt(one));
    if (kindAt(one) === "directory") todo.push(...newEntries(one, new Set()).sort());
    if (stamps.length + todo.length > MOST_STAMPED) return randomUUID();
  }
  return stamps.length === 1 ? stamps[0] : stamps.join();
}

/** Undefined when nothing is there. */
function stampAt(path: string): string | undefined {
  if (kindAt(path) === undefined) return undefined;
  const stat = lstatSync(nodePath(path), { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.ctimeMs}`;
}
