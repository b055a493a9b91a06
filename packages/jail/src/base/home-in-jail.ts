import { statSync } from "node:fs";
import { join } from "node:path";
import { homeDirectory } from "@countersign/core/host";
import { isInside } from "@countersign/core/host/fs";

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

/** What tools keep of their own accord; without a place for it many don't start. */
const CACHES = [".cache", ".npm", ".local/state"];

/** Empty and writable in a jail that may write, and gone with its run. */
export function cachesIn(home: string): string[] {
  return CACHES.map((name) => join(home, name));
}
