import { homeDirectory } from "@countersign/core/host";
import { isInside } from "@countersign/core/host/fs";
import { type Classification, type Decision, placeMeaning } from "@countersign/policy";
import { cachesIn, homeInJail } from "../base/index.ts";
import { hiddenTrees, TEMPORARY } from "../plan/index.ts";
import { type FileUse, fileUses } from "./file-uses.ts";
import { findFile, whyNotWritable } from "./find-file.ts";

/** What the jail of an approved command opens outside of the workspace, and what it can't. */
export interface Openings {
  /** Files that are opened for writing, each with its identity (see `FoundFile`). */
  readonly opens: Readonly<Record<string, string>>;
  /** Writes that will fail, each with the reason. */
  readonly fails: readonly string[];
}

export interface OpeningsFacts {
  readonly roots: readonly string[];
  readonly protectedPaths: readonly string[];
  /** The user that a root hub becomes. */
  readonly droppedUid: number | undefined;
}

/** Each costs a mount. */
const MAX_FILES = 32;
const MAX_FAILS = 32;

/** Looks at what the command would write outside of its workspace; changes nothing. */
export function planOpenings(classification: Classification, facts: OpeningsFacts): Openings {
  const { uses, unnamed } = fileUses(classification);
  const opens: Record<string, string> = {};
  const fails = new Set<string>();
  const scratch = scratchTrees();
  const isIn = (trees: readonly string[]) => (path: string) => trees.some((tree) => isInside(path, tree));
  const outside = uses.filter(({ path }) => !isIn(facts.roots)(path) && !isIn(scratch)(path));
  const certain = new Set(outside.filter(({ use }) => use.does !== "may-write").map(({ path }) => path));
  for (const { path, use, linked } of outside) {
    if (use.does === "may-write" && certain.has(path)) continue;
    const opened: ReturnType<typeof openingFor> = linked
      ? { why: "a link is on the way to it" }
      : openingFor(path, use, facts);
    if ("why" in opened) fails.add(`${opened.verb ?? VERBS[use.does]} ${path}: ${opened.why}`);
    else if (opens[path] === undefined && Object.keys(opens).length === MAX_FILES)
      fails.add(`writing ${path}: no more than ${MAX_FILES} files are opened`);
    else opens[path] = opened.identity;
  }
  for (const sentence of unnamed)
    fails.add(`${sentence}, if outside the workspace: only files named in full are opened`);
  return { opens, fails: shortened([...fails]) };
}

const VERBS: Record<FileUse["does"], string> = {
  writes: "writing",
  changes: "writing",
  replaces: "replacing or removing",
  "may-write": "writing",
};

function openingFor(
  path: string,
  use: FileUse,
  { protectedPaths, droppedUid }: OpeningsFacts,
): { readonly identity: string } | { readonly why: string; readonly verb?: string } {
  if (protectedPaths.some((own) => isInside(path, own) || isInside(own, path)))
    return { verb: "using", why: "it is Countersign's own, which no jail shows" };
  if (["/proc", "/sys", "/dev"].some((tree) => isInside(path, tree)))
    return { why: "it is the kernel's, no plain file" };
  if (placeMeaning(path, homeDirectory()).secret) return { why: "a jail hides secrets" };
  if (use.does === "replaces") return { why: `${use.program} needs its directory, and only single files are opened` };
  if (use.does === "may-write") return { why: `${use.program} isn't known to write to it, so that it isn't opened` };
  const found = findFile(path);
  if (found.kind === "unfit") return found;
  if (found.kind === "missing" && use.does !== "writes")
    return { why: `it doesn't exist, and ${use.program} isn't known to make a plain file` };
  const why = whyNotWritable(path, found, droppedUid);
  return why === undefined ? { identity: found.identity } : { why };
}

/** Private to each run: nothing there fails. */
function scratchTrees(): string[] {
  return [...TEMPORARY, ...cachesIn(homeInJail(hiddenTrees()))];
}

function shortened(fails: readonly string[]): string[] {
  const more = fails.length - MAX_FAILS;
  return more > 0 ? [...fails.slice(0, MAX_FAILS), `${more} more writes outside the workspace`] : [...fails];
}

/** What is opened, in words for the card. */
export function openedWords(opens: Openings["opens"] = {}): string[] {
  return Object.entries(opens).map(([path, identity]) =>
    identity.startsWith("missing:") ? `${path} (made empty first: it doesn't exist yet)` : path,
  );
}

/** Whether the decision rests on somebody's or an entry's word for these very writes; else nothing is opened. */
export function isApproved({ by, verdict }: Decision, answeredBefore: boolean): boolean {
  return verdict === "allow" && (by === "person" || by === "entry" || (by === "grant" && answeredBefore));
}
