import { accessSync, type BigIntStats, closeSync, constants, fstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import { openWithoutLinks, SystemError } from "@countersign/native";
import { identityOf } from "../base/index.ts";
import { hiddenTrees } from "../plan/index.ts";

/** What is at a path. `identity`: which file it is or, of one that is missing, in which directory it would be made. */
export type FoundFile =
  | { readonly kind: "file" | "missing"; readonly identity: string; readonly stat: BigIntStats }
  | { readonly kind: "unfit"; readonly why: string };

/** Looks at a path without following any link in it. */
export function findFile(path: string): FoundFile {
  const found = lookUp(path);
  if ("stat" in found) {
    if (found.stat.isFile()) return fit("file", found.stat);
    return unfit(
      found.stat.isDirectory() ? "it is a directory, and only single files are opened" : "it is no plain file",
    );
  }
  if (found.code !== "ENOENT") return unfit(WHY[found.code] ?? found.code);
  const parent = lookUp(dirname(path));
  if ("code" in parent) return unfit(WHY[parent.code] ?? parent.code);
  return parent.stat.isDirectory() ? fit("missing", parent.stat) : unfit(WHY.ENOTDIR as string);
}

const WHY: Readonly<Record<string, string>> = {
  ELOOP: "a link is on the way to it",
  ENOENT: "its directory doesn't exist",
  ENOTDIR: "its directory doesn't exist",
  EACCES: "the hub may not enter its directory",
};

/** Why whom commands run as couldn't write to what was found; undefined if it can. `dropped`: the user that a root hub becomes. */
export function whyNotWritable(
  path: string,
  { kind, stat }: Exclude<FoundFile, { kind: "unfit" }>,
  dropped: number | undefined,
): string | undefined {
  try {
    accessSync(kind === "file" ? path : dirname(path), constants.W_OK);
  } catch {
    return "the hub has no right to write there";
  }
  if (dropped === undefined) return undefined;
  // It is shown to that user as its own, by a mapped mount.
  if (kind === "file" && (stat.mode & OWNER_WRITES) === 0n) return "its owner has no right to write to it";
  if (stat.uid === BigInt(dropped))
    return "it belongs to the user that commands run as, and can't be shown as another's";
  const isHidden = hiddenTrees().some((tree) => isInside(path, tree));
  return isHidden || isPassable(dirname(path)) ? undefined : "its directory is closed to the user that commands run as";
}

const OWNER_WRITES = 0o200n;
const OTHERS_PASS = 0o001;

function isPassable(directory: string): boolean {
  if (((statSync(directory, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_PASS) === 0) return false;
  return directory === "/" || isPassable(dirname(directory));
}

function lookUp(path: string): { readonly stat: BigIntStats } | { readonly code: string } {
  try {
    const fd = openWithoutLinks(path);
    try {
      return { stat: fstatSync(fd, { bigint: true }) };
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    if (cause instanceof SystemError) return { code: cause.code };
    throw cause;
  }
}

function fit(kind: "file" | "missing", stat: BigIntStats): FoundFile {
  return { kind, stat, identity: `${kind}:${identityOf(stat)}` };
}

function unfit(why: string): FoundFile {
  return { kind: "unfit", why };
}
