import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { nodePath } from "@countersign/native";

/** Whom a root hub's runs become: in no group but this one. */
export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

const PASS = 0o1;
const ANYTHING = 0o7;
const USES = [constants.R_OK, constants.W_OK, constants.X_OK];

/**
 * Whether a run could do anything with what stands there, without a jail around it. What it can't needs no hiding, and may be
 * where bwrap, with no more rights, can't hide it. `dropped` is undefined when runs are of the hub's own user, with all of its
 * groups. Lists that give single users access (ACLs) aren't looked at: one that names the dropped user gives it what it says.
 */
export function isWithinReach(path: string, dropped: Ids | undefined): boolean {
  if (dropped === undefined) return USES.some((use) => mayUse(path, use));
  if (!may(path, ANYTHING, dropped)) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if (!may(at, PASS, dropped)) return false;
    if (at === dirname(at)) return true;
  }
}

function mayUse(path: string, use: number): boolean {
  try {
    accessSync(nodePath(path), use);
    return true;
  } catch {
    return false;
  }
}

function may(path: string, bits: number, user: Ids): boolean {
  const stat = statSync(nodePath(path), { throwIfNoEntry: false });
  return stat !== undefined && ((stat.mode >> classOf(stat, user)) & bits) !== 0;
}

/** How far to the left the bits stand that count for this user. */
function classOf({ uid, gid }: Stats, user: Ids): number {
  if (uid === user.uid) return 6;
  return gid === user.gid ? 3 : 0;
}

const OTHERS_READ = 0o004;
const OTHERS_PASS = 0o001;

/** Whether a user who owns nothing on the way could read it: each directory above lets everyone pass. */
export function isReachableByAll(path: string): boolean {
  try {
    if ((statSync(path).mode & OTHERS_READ) === 0) return false;
    for (let at = dirname(path); ; at = dirname(at)) {
      if ((statSync(at).mode & OTHERS_PASS) === 0) return false;
      if (at === dirname(at)) return true;
    }
  } catch {
    return false;
  }
}
