import { statSync } from "node:fs";
import { homeDirectory } from "../machine/home-directory.ts";
import { isInside } from "../machine/trusted-path.ts";

/** In the private /tmp: empty, and gone with the run. */
const PRIVATE_HOME = "/tmp/home";

/**
 * Where a run has its home: where its user has it, or, for a user whose home doesn't exist (a service's, mostly), in a private
 * directory. Nothing can be made on the way to a missing one, for the machine is read-only.
 */
export function homeInJail(hidden: readonly string[]): string {
  const home = homeDirectory();
  const canStand = hidden.some((tree) => isInside(home, tree));
  return canStand || statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : PRIVATE_HOME;
}
