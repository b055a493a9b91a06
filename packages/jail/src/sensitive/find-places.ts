import { lstatSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type Clock, systemClock } from "@countersign/core/base";
import { type InnerMount, kindAt, mountsWithin, readDirectory, realPath } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";
import { type FoundPlace, lookAtDirectory } from "./look-at-directory.ts";
import { type Folder, isSameFolder, PlaceIndex, stampOfFolder } from "./place-index.ts";
import { DEFAULT_PLACE_LIMITS, type PlaceLimits, type Places, type Unseen, type UnseenCode } from "./places.ts";

export interface FindOptions {
  readonly home: string;
  /** The directory is one of git's own. */
  readonly isGit?: boolean | undefined;
  /** Kept between walks, it makes the next one quick. */
  readonly index?: PlaceIndex;
  readonly limits?: Partial<PlaceLimits>;
  readonly clock?: Clock;
}

/** The hub answers others at least this often while it walks: synchronous calls are twice as quick as asynchronous ones. */
const SLICE_MS = 8;

/**
 * What of a workspace is secret, starts code or is a socket. Links aren't followed and mounts of other machines not entered;
 * nothing that changes, vanishes or is odd in the meantime makes it throw. `root` is a real path.
 */
export async function findPlaces(root: string, options: FindOptions): Promise<Places> {
  const walk = new Walk(root, options);
  const todo: Folder[] = [(options.index ?? new PlaceIndex(1)).rootFolder(root, options)];
  for (let folder = todo.pop(); folder !== undefined; folder = todo.pop()) {
    const stop = walk.exhausted();
    if (stop) {
      for (const one of [folder, ...todo]) walk.leaveOut(one.path, stop);
      break;
    }
    for (const inner of walk.visit(folder)) todo.push(inner);
    await walk.pause();
  }
  return walk.result();
}

class Walk {
  readonly #home: string;
  readonly #limits: PlaceLimits;
  readonly #clock: Clock;
  readonly #began: number;
  readonly #mounts: ReadonlyMap<string, InnerMount["kind"]>;
  readonly #places: FoundPlace[] = [];
  readonly #unseen: Unseen[] = [];
  #unlisted = 0;
  #directories = 0;
  #entries = 0;
  #sliceBegan: number;

  constructor(root: string, { home, limits, clock = systemClock }: FindOptions) {
    this.#home = home;
    this.#limits = { ...DEFAULT_PLACE_LIMITS, ...limits };
    this.#clock = clock;
    this.#began = clock.monotonicMs();
    this.#sliceBegan = this.#began;
    this.#mounts = new Map(mountsWithin(root).map(({ path, kind }) => [path, kind]));
  }

  exhausted(): UnseenCode | undefined {
    if (this.#directories >= this.#limits.directories) return "too-many-directories";
    if (this.#entries >= this.#limits.entries) return "too-many-entries";
    return this.#clock.monotonicMs() - this.#began > this.#limits.timeMs ? "too-slow" : undefined;
  }

  /** Looks at one directory, unless it is as it was, and gives back those inside it. */
  visit(folder: Folder): readonly Folder[] {
    const mount = this.#mounts.get(folder.path);
    if (mount === "network") return this.leaveOut(folder.path, "network-mount");
    if (mount === "kernel") {
      // The machine's processes, environments included: nothing that a workspace needs.
      this.#places.push({ path: folder.path, kind: "secret", link: false });
      return [];
    }
    if (folder.depth > this.#limits.depth) return this.leaveOut(folder.path, "too-deep");
    const stat = this.#stat(folder);
    if (!stat?.isDirectory()) return [];
    this.#directories += 1;
    if (!isSameFolder(folder.look?.stamp, stat) && !this.#read(folder, stat)) return [];
    for (const place of folder.look?.places ?? []) this.#places.push(place);
    return folder.look?.folders ?? [];
  }

  leaveOut(path: string, code: UnseenCode): [] {
    if (this.#unseen.length < this.#limits.unseen) this.#unseen.push({ path, code });
    else this.#unlisted += 1;
    return [];
  }

  async pause(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#sliceBegan < SLICE_MS) return;
    await setImmediate();
    this.#sliceBegan = this.#clock.monotonicMs();
  }

  result(): Places {
    const of = (kind: FoundPlace["kind"]) => this.#places.filter((place) => place.kind === kind);
    const paths = (kind: FoundPlace["kind"]) => of(kind).map(({ path }) => path);
    return {
      secrets: [...new Set(of("secret").flatMap((place) => (place.link ? leadsTo(place.path) : place.path)))],
      startsCode: paths("starts-code"),
      gitDirectories: paths("git-directory"),
      bareRepositories: paths("bare-repository"),
      sockets: paths("socket"),
      complete: this.#unseen.length === 0,
      unseen: this.#unseen,
      unlisted: this.#unlisted,
    };
  }

  #stat(folder: Folder): Stats | undefined {
    try {
      return lstatSync(nodePath(folder.path), { throwIfNoEntry: false });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "ENAMETOOLONG") this.leaveOut(folder.path, "too-deep");
      else if (code !== "ENOTDIR") this.leaveOut(folder.path, "unreadable");
      return undefined;
    }
  }

  #read(folder: Folder, stat: Stats): boolean {
    const readAt = this.#clock.wallMs();
    const known = new Map(folder.look?.folders.map((one) => [one.path, one]));
    folder.look = undefined;
    const reading = readDirectory(folder.path, { size: stat.size, most: this.#limits.entries - this.#entries });
    if ("failed" in reading) {
      if (reading.failed !== "ENOENT" && !isClosedByOthers(reading.failed, stat))
        this.leaveOut(folder.path, "unreadable");
      return false;
    }
    this.#entries += reading.entries.length;
    if (reading.more) this.leaveOut(folder.path, "too-many-entries");
    const { places, folders } = lookAtDirectory({ ...folder, home: this.#home }, reading.entries);
    const inner = folders.map((one) => {
      const old = known.get(one.path);
      return old?.kind === one.kind && old.startsCode === one.startsCode
        ? old
        : { ...one, depth: folder.depth + 1, look: undefined };
    });
    const stamp = reading.more ? undefined : stampOfFolder(stat, readAt);
    folder.look = { stamp, places, folders: inner };
    return true;
  }
}

/** Only its owner could open it to a jail. */
function isClosedByOthers(code: string, { uid }: Stats): boolean {
  return code === "EACCES" && uid !== process.geteuid?.();
}

/** A link with a secret's name gives away the file that it leads to. Directories would hide too much: `.env -> /`. */
function leadsTo(link: string): string[] {
  const target = realPath(link);
  return target !== undefined && kindAt(target) === "other" ? [target] : [];
}
