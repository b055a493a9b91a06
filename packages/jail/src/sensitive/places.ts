/** What of a workspace a jail must hide, pin and look at. All paths are absolute; see `path-bytes.ts` for odd names. */
export interface Places {
  /** Files and directories whose contents give a credential away, and what links with such a name lead to. */
  readonly secrets: readonly string[];
  /** Existing files, directories and links from which code is started. */
  readonly startsCode: readonly string[];
  /** `.git` directories, and `.git` files and links that point to one. */
  readonly gitDirectories: readonly string[];
  /** Ordinary directories that git takes for a repository, because of what is in them. */
  readonly bareRepositories: readonly string[];
  /** Unix sockets. */
  readonly sockets: readonly string[];
  /** False: something wasn't looked at, and what is in it may be visible or writable. */
  readonly complete: boolean;
  /** What wasn't looked at, the first of it; a caller that needs to be sure hides these. */
  readonly unseen: readonly Unseen[];
  /** How much more than is listed wasn't looked at. */
  readonly unlisted: number;
}

export interface Unseen {
  readonly path: string;
  readonly code: UnseenCode;
}

export type UnseenCode =
  /** Limits of `PlaceLimits`: the workspace is larger than is looked at before a run. */
  | "too-many-directories"
  | "too-many-entries"
  | "too-deep"
  | "too-slow"
  /** Its owner closed it to reading, and can open it again. */
  | "unreadable"
  /** Another machine or program answers for it, perhaps never. */
  | "network-mount";

export interface PlaceLimits {
  readonly directories: number;
  /** Names read in one walk; those of directories known from an earlier walk don't count. */
  readonly entries: number;
  readonly depth: number;
  readonly timeMs: number;
  /** How many are listed of what wasn't looked at. */
  readonly unseen: number;
}

export const DEFAULT_PLACE_LIMITS: PlaceLimits = {
  directories: 100_000,
  entries: 2_000_000,
  depth: 64,
  // A first walk from a cold disk; what it saw is remembered.
  timeMs: 20_000,
  unseen: 1_000,
};
