import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Controller, Hierarchy } from "../process/index.ts";

/** A directory in which we may make groups that have these controllers. */
export interface GroupPlace {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly dir: string;
}

const WANTED: readonly Controller[] = ["memory", "pids"];

/**
 * Below our own group, so that its limits hold for what we make, too. In version 2 a group that has processes can't give
 * controllers to groups in it: there it is the nearest one above that does already, or our own after we moved down.
 */
export function placeForGroups(hierarchy: Hierarchy): GroupPlace | undefined {
  const { version, own, mount } = hierarchy;
  if (version === 1) return isOurs(own) ? { version, controllers: hierarchy.controllers, dir: own } : undefined;
  moveDownWhereAlone(own, mount);
  for (let dir = own; ; dir = dirname(dir)) {
    const controllers = wordsIn(join(dir, "cgroup.subtree_control")).filter(isWanted);
    if (controllers.length > 0 && isOurs(dir)) return { version, controllers, dir };
    if (dir === mount) return undefined;
  }
}

/** A service with `Delegate=yes` is alone in a group of its own: there, as systemd asks for, the hub makes itself a leaf. */
function moveDownWhereAlone(own: string, mount: string): void {
  if (own === mount || !isOurs(own) || wordsIn(join(own, "cgroup.procs")).join() !== `${process.pid}`) return;
  const controllers = wordsIn(join(own, "cgroup.controllers")).filter(isWanted);
  if (controllers.length === 0) return;
  const leaf = join(own, "hub");
  mkdirSync(leaf, { recursive: true });
  writeFileSync(join(leaf, "cgroup.procs"), `${process.pid}`);
  giveControllers(own, controllers);
}

export function giveControllers(dir: string, controllers: readonly Controller[]): void {
  writeFileSync(join(dir, "cgroup.subtree_control"), controllers.map((name) => `+${name}`).join(" "));
}

function isOurs(dir: string): boolean {
  try {
    for (const path of [dir, join(dir, "cgroup.procs")]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isWanted(word: string): word is Controller {
  return (WANTED as readonly string[]).includes(word);
}

export function wordsIn(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split(/\s+/).filter(Boolean);
  } catch (cause) {
    // A group without this file, as the root of a tree, and a group that is gone.
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  }
}
