import { join } from "node:path";
import { type Clock, systemClock } from "@countersign/core/base";
import { isInside, kindAt, readDirectory, realPath, rememberFor } from "@countersign/core/host/fs";
import { mayBePlace, placeMeaning } from "@countersign/policy";
import { type HiddenPath, hiddenPathAt } from "./hidden-paths.ts";
import { BESIDE_HOMES, HOME_ALLOWLIST } from "./home-allowlist.ts";

export interface VisibleHome {
  /** To be bound read-only where the home is otherwise absent: at `path`, from its real path. */
  readonly shown: readonly { readonly path: string; readonly source: string }[];
  /** Lies in one of those, and is to be covered after them. */
  readonly hidden: readonly HiddenPath[];
}

/** Secrets stand at most this deep in what is listed; deeper lie packages as they were published. */
const DEPTH = 2;
const MOST_ENTRIES = 20_000;

const LIFETIME_MS = 10_000;

/** Remembered for some seconds. */
export function makeVisibleHome(home: string, clock: Clock = systemClock): () => VisibleHome {
  return rememberFor(LIFETIME_MS, clock, () => visibleHome(home));
}

/** What a jail may show of a home, as far as it exists. */
export function visibleHome(home: string, mostEntries = MOST_ENTRIES): VisibleHome {
  const shown: { path: string; source: string }[] = [];
  const hidden = new Map<string, HiddenPath>();
  for (const path of [...HOME_ALLOWLIST.map((name) => join(home, name)), ...BESIDE_HOMES]) {
    const source = harmlessSource(path, home);
    const look = source === undefined ? undefined : lookInside(path, home, mostEntries);
    if (source === undefined || !look?.whole) continue;
    shown.push({ path, source });
    for (const hide of look.hides) hidden.set(hide.path, hide);
  }
  return { shown, hidden: [...hidden.values()] };
}

/** Its real path, when it is no secret by itself, and no link that leads to one or to something that is around the home. */
function harmlessSource(path: string, home: string): string | undefined {
  const real = realPath(path);
  if (real === undefined || isInside(home, real)) return undefined;
  return [path, real].some((one) => placeMeaning(one, home).secret) ? undefined : real;
}

/** The secrets in it; `whole` is false where there was more than is looked at. */
function lookInside(listed: string, home: string, mostEntries: number): { hides: HiddenPath[]; whole: boolean } {
  const hides: HiddenPath[] = [];
  let left = mostEntries;
  const todo = [{ path: listed, depth: 1 }];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    const reading = readDirectory(one.path, { size: 0, most: left });
    if ("failed" in reading) continue;
    if (reading.more) return { hides, whole: false };
    left -= reading.entries.length;
    for (const { name, kind } of reading.entries) {
      const path = `${one.path}/${name}`;
      if (mayBePlace(name) && placeMeaning(path, home).secret) hides.push(...hideBoth(path));
      else if (kind === "directory" && one.depth < DEPTH) todo.push({ path, depth: one.depth + 1 });
    }
  }
  return { hides, whole: true };
}

/** Where it is shown, and where it really is: a listed directory may be a link to one that every jail sees. */
function hideBoth(path: string): HiddenPath[] {
  const real = hiddenPathAt(path);
  if (real === undefined) return [];
  return kindAt(path) === "link" || real.path === path ? [real] : [{ ...real, path }, real];
}
