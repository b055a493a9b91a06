import { statSync } from "node:fs";
import { dirname } from "node:path";

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
