import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { join, resolve } from "node:path";

/** Longer files aren't git's. */
const MAX_BYTES = 4_096;
const MAX_NAME = 255;

/**
 * The branch that is checked out in a repository, by its files: git itself would run what its configuration names. Undefined where that can't
 * be told, and where no branch is.
 */
export function branchOf(repository: string): string | undefined {
  try {
    const at = join(repository, ".git");
    const directory = lstatSync(at).isDirectory() ? at : linked(repository, at);
    const head = directory === undefined ? undefined : readSmall(join(directory, "HEAD"));
    const name = /^ref: refs\/heads\/(\S+)\s*$/.exec(head ?? "")?.[1];
    return name === undefined || name.length > MAX_NAME ? undefined : name;
  } catch {
    // Whatever is the matter with it, the card is only the poorer by a word.
    return undefined;
  }
}

/** A worktree's `.git` is a file that says where the rest is. */
function linked(repository: string, file: string): string | undefined {
  const path = /^gitdir: (.+?)\s*$/.exec(readSmall(file) ?? "")?.[1];
  return path === undefined ? undefined : resolve(repository, path);
}

const NEITHER_WAITING_NOR_LED = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** From one descriptor: what stands there may change while we look, and a pipe would have the hub wait, a device never end. */
function readSmall(path: string): string | undefined {
  const file = openSync(path, NEITHER_WAITING_NOR_LED);
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const room = Buffer.alloc(MAX_BYTES + 1);
    const length = readSync(file, room, 0, room.length, 0);
    return length > MAX_BYTES ? undefined : room.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}
