import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

const OTHERS_READ = 0o004;
const OTHERS_PASS = 0o001;
const GROUP_PASS = 0o010;
const OWNER_PASS = 0o100;

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

/** Whether this user gets as far as the path. What it can't come near to needs no hiding, and can't be hidden by it. */
export function isWayOpen(path: string, user: { readonly uid: number; readonly gid: number }): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    const stat = statSync(at, { throwIfNoEntry: false });
    if (stat === undefined || (stat.mode & passBit(stat, user)) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function passBit({ uid, gid }: Stats, user: { readonly uid: number; readonly gid: number }): number {
  if (uid === user.uid) return OWNER_PASS;
  return gid === user.gid ? GROUP_PASS : OTHERS_PASS;
}
