import { basename, dirname, join } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import { TABLES } from "@countersign/policy";
import type { Places } from "./places.ts";

/** Names from which code is started wherever they stand: `.vscode`, `.envrc`; not those that need a certain directory. */
const NAMES: readonly string[] = [
  ".git",
  ...TABLES.paths.STARTS_CODE.flatMap(({ path }) => /^\*\*\/([^/*]+)(?:\/\*\*)?$/.exec(path)?.[1] ?? []),
];

/** A name that starts code in a directory of this name only, wherever else the tables are wary of it. */
const ONLY_IN: Readonly<Record<string, string>> = { authorized_keys: ".ssh", authorized_keys2: ".ssh" };

/** What git looks for in its directory, and takes an empty directory for nothing. */
const IN_GIT: readonly string[] = ["hooks", "info/attributes"];

/** In so many repositories of a workspace; in others the scan after a run finds what was made. */
const MOST_REPOSITORIES = 8;

export interface MaskFacts {
  readonly root: string;
  /** The root is a directory of git's own. */
  readonly isGit?: boolean | undefined;
  readonly places: Pick<Places, "gitDirectories">;
  /** What an approved effect writes: it may be made. */
  readonly writes: readonly string[];
  /** What it deletes. */
  readonly removes: readonly string[];
  readonly opensGit: boolean;
}

/** Paths at which something would start code, whether or not it exists: where projects are opened, and in open git directories. */
export function maskedNames({ root, isGit, places, writes, removes, opensGit }: MaskFacts): string[] {
  const inside = places.gitDirectories.filter((path) => path.endsWith("/.git")).slice(0, MOST_REPOSITORIES);
  const directories = isGit ? [root] : inside;
  // In what is to be removed, placeholders would only be in the way.
  const open = inside.map((path) => dirname(path)).filter((path) => !removes.some((tree) => isInside(path, tree)));
  const projects = isGit ? [] : [...new Set([root, ...open])];
  const names = opensGit ? NAMES.filter((name) => name !== ".git") : NAMES;
  const all = [
    ...projects.flatMap((project) =>
      names
        .filter((name) => (ONLY_IN[name] ?? basename(project)) === basename(project))
        .map((name) => join(project, name)),
    ),
    ...(opensGit ? directories.flatMap((directory) => IN_GIT.map((name) => join(directory, name))) : []),
  ];
  return all.filter((path) => ![...writes, ...removes].some((changed) => isInside(changed, path)));
}

/** Whether a path ends as one of ours would. */
export function isMaskedName(path: string): boolean {
  return [...NAMES, ...IN_GIT].some((name) => path.endsWith(`/${name}`));
}
