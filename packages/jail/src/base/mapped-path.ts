import { type BigIntStats, lstatSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { JailError } from "./jail-error.ts";

/** A host path that a room makes reachable, and which of all things that bore its name was meant. */
export interface MappedPath {
  readonly path: string;
  readonly identity: string;
  /** Who is to be seen as the room's user, where that isn't who owns this path itself. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

const MAX_PATHS = 256;

/**
 * Each path once, in order. Links were resolved by the caller: what isn't real any more was replaced. Without a dropped user
 * owners stay who they are.
 */
export function mappedPaths(paths: readonly string[], droppedUser?: { readonly uid: number }): readonly MappedPath[] {
  const unique = [...new Set(paths)].sort();
  if (unique.length > MAX_PATHS) throw new JailError("PATH_REFUSED", `More than ${MAX_PATHS} paths in one room`);
  const ids = droppedUser && { overflow: overflowIds(), droppedUid: droppedUser.uid };
  return unique.map((path) => {
    const stat = realStat(path);
    const reason = ids && whyRefused(stat, ids);
    if (reason !== undefined) throw refused(path, reason);
    return { path, identity: identityOf(stat) };
  });
}

/** The same for as long as it is the same directory, file or socket with the same owner. */
export function identityOf({ dev, ino, uid, gid }: BigIntStats): string {
  return `${dev}:${ino}:${uid}:${gid}`;
}

function refused(path: string, reason: string, cause?: unknown): JailError {
  return new JailError("PATH_REFUSED", `${path} can't be mapped: ${reason}`, { cause });
}

function realStat(path: string): BigIntStats {
  if (!isAbsolute(path) || path === "/") throw refused(path, "it must be absolute, and not the root of everything");
  try {
    if (realpathSync.native(path) === path) return lstatSync(path, { bigint: true });
  } catch (cause) {
    throw refused(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  throw refused(path, "it isn't the real path");
}

interface Ids {
  readonly overflow: readonly [uid: bigint, gid: bigint];
  readonly droppedUid: number;
}

function whyRefused(stat: BigIntStats, { overflow: [uid, gid], droppedUid }: Ids): string | undefined {
  if (!stat.isDirectory() && !stat.isFile() && !stat.isSocket()) return "it is neither directory, file nor socket";
  if (stat.uid === uid || stat.gid === gid) return "its owner isn't a real user and group";
  if (stat.uid === BigInt(droppedUid)) return "the user that commands are run as owns it";
  return undefined;
}

/** What the kernel says of an owner that has no number here. */
function overflowIds(): readonly [uid: bigint, gid: bigint] {
  const read = (name: string) => BigInt(readFileSync(`/proc/sys/kernel/${name}`, "utf8").trim());
  return [read("overflowuid"), read("overflowgid")];
}
