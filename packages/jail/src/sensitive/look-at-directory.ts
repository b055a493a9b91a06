import type { Entry } from "@countersign/core/host/fs";
import { mayBePlace, placeMeaning } from "@countersign/policy";

type PlaceKind = "secret" | "starts-code" | "git-directory" | "bare-repository" | "socket";

export interface FoundPlace {
  readonly path: string;
  readonly kind: PlaceKind;
  readonly link: boolean;
}

/** How a directory is looked at: as any other, or as a part of a git directory. */
type FolderKind = "ordinary" | "git" | "git-info" | "git-modules" | "git-worktrees";

export interface Surroundings {
  readonly path: string;
  readonly kind: FolderKind;
  /** All of it starts code already: what is in it isn't listed again. */
  readonly startsCode: boolean;
  readonly home: string;
}

export interface Inside {
  readonly places: readonly FoundPlace[];
  /** Directories to look into. */
  readonly folders: readonly Omit<Surroundings, "home">[];
}

/**
 * Nothing in these is opened as a project, and what lies in them was published with a package or made by a compiler. A file
 * that is secret by its name can't be moved there from a jail: it is a mount there, and so are the directories above it.
 */
const NOT_LOOKED_INTO = ["node_modules", "__pycache__", ".pnpm-store"];

/** In a git directory these decide what git runs. `commondir` leads to another directory with all of them. */
export const RUN_BY_GIT: readonly string[] = ["hooks", "config", "config.worktree", "commondir"];

/** In a git directory: large, and without any meaning for us. */
const GIT_STORES = ["objects", "refs", "logs", "lfs", "hooks", "info", "rr-cache"];

/** What of a directory's entries counts, and which of them to look into. */
export function lookAtDirectory(at: Surroundings, entries: readonly Entry[]): Inside {
  const places: FoundPlace[] = [];
  const folders: Omit<Surroundings, "home">[] = [];
  const bare = at.kind === "ordinary" && looksBare(entries);
  const git = bare || at.kind === "git" || at.kind === "git-modules";
  if (bare) places.push({ path: at.path, kind: "bare-repository", link: false });
  for (const entry of entries) {
    const path = at.path === "/" ? `/${entry.name}` : `${at.path}/${entry.name}`;
    const kinds = kindsOf(entry, path, { at, git });
    for (const kind of kinds) places.push({ path, kind, link: entry.kind === "link" });
    if (entry.kind !== "directory" || kinds.includes("secret")) continue;
    const next = kindOfFolder(entry.name, at.kind, git);
    if (next) folders.push({ path, kind: next, startsCode: at.startsCode || kinds.includes("starts-code") });
  }
  return { places, folders };
}

/** A file may be secret and start code: `~/.ssh/config`. */
function kindsOf(entry: Entry, path: string, { at, git }: { at: Surroundings; git: boolean }): readonly PlaceKind[] {
  if (entry.name === ".git" && at.kind === "ordinary") return ["git-directory"];
  if (git && RUN_BY_GIT.includes(entry.name)) return ["starts-code"];
  if (at.kind === "git-info") return entry.name === "attributes" ? ["starts-code"] : [];
  const kinds: PlaceKind[] = entry.kind === "socket" ? ["socket"] : [];
  if (!mayBePlace(entry.name)) return kinds;
  const meaning = placeMeaning(path, at.home);
  if (meaning.secret) kinds.push("secret");
  if (meaning.startsCode && !at.startsCode) kinds.push("starts-code");
  return kinds;
}

/** How a directory is to be looked into, or undefined. */
function kindOfFolder(name: string, within: FolderKind, git: boolean): FolderKind | undefined {
  if (git && name === "info") return "git-info";
  if (git && name === "modules") return "git-modules";
  if (git && name === "worktrees") return "git-worktrees";
  if (within === "ordinary") return folderInOrdinary(name);
  if (within === "git-worktrees") return "git";
  // A submodule's name may have slashes in it.
  return within === "git-modules" && !GIT_STORES.includes(name) ? "git-modules" : undefined;
}

function folderInOrdinary(name: string): FolderKind | undefined {
  if (name === ".git") return "git";
  return NOT_LOOKED_INTO.includes(name) ? undefined : "ordinary";
}

const BARE = ["HEAD", "objects", "refs", "commondir"];

/** What git asks of a directory before it takes it for a repository by itself. A `.git` that isn't one doesn't keep it from. */
function looksBare(entries: readonly Entry[]): boolean {
  const names = new Set<string>();
  for (const { name } of entries) if (BARE.includes(name)) names.add(name);
  return names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")));
}
