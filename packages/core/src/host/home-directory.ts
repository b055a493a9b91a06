import { homedir } from "node:os";
import { realPathAsFarAsItExists } from "./fs/index.ts";

/** What Debian writes for users without a home. */
const NONE = "/nonexistent";

/**
 * The home of the hub's user, by the path at which it stands itself: whatever is hidden or judged by its place in a home must
 * be so too where `/home/ann` is a link to another disk. A user without an entry may have none, and a service's is often `/`,
 * which is no more its home than anyone's: for both it is a name at which nothing stands.
 */
export function homeDirectory(): string {
  const home = statedHome();
  const real = home.startsWith("/") ? realPathAsFarAsItExists(home) : undefined;
  return real === undefined || real === "/" ? NONE : real;
}

function statedHome(): string {
  try {
    return homedir();
  } catch {
    return NONE;
  }
}
