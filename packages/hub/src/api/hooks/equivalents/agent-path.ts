import { basename, dirname, join, relative, resolve } from "node:path";
import { HubError } from "@countersign/core/errors";
import { homeDirectory } from "@countersign/core/host";
import { isInside, realPathAsFarAsItExists } from "@countersign/core/host/fs";

const MAX_PATH = 4096;
/** Paths that mean something else for the hub than for the agent. */
const OF_EACH_PROCESS = /^\/(?:proc\/(?:self|thread-self)|dev\/(?:fd|std(?:in|out|err)))(?:\/|$)/;

/**
 * Returns the path that an agent's tool will open, with links resolved. Agents trim, normalise and expand paths in
 * different ways: refuses one that could lead the agent to another file.
 */
export function agentPath(path: string, cwd: string): string {
  return realOf(expand(path, cwd));
}

/** Returns the path that a removal removes: for a link the link itself. */
export function agentName(path: string, cwd: string): string {
  const named = expand(path, cwd);
  return join(realOf(dirname(named)), basename(named));
}

function expand(path: string, cwd: string): string {
  if (path === "" || path.length > MAX_PATH || path.includes("\0") || !path.isWellFormed()) {
    throw refused("must be 1 to 4096 characters of valid Unicode without NUL");
  }
  if (path !== path.trim()) throw refused("begins or ends with a space");
  if (path !== path.normalize("NFC")) throw refused("isn't in Unicode's composed form");
  if (/^~[^/]/.test(path)) throw refused("is another user's home");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) throw refused("is a URL");
  const named = resolve(cwd, path.startsWith("~") ? join(homeDirectory(), path.slice(1)) : path);
  if (OF_EACH_PROCESS.test(named)) throw refused("leads elsewhere for each process");
  return named;
}

function realOf(path: string): string {
  const real = realPathAsFarAsItExists(path);
  if (real === undefined)
    throw refused("can't be resolved: something on its way is a file, a broken link or closed to us");
  return real;
}

/** Returns the path for a command in `cwd`: relative if it is inside, and never like an option. */
export function operandOf(real: string, cwd: string): string {
  if (!isInside(real, cwd)) return real;
  const inside = relative(cwd, real) || ".";
  return inside.startsWith("-") ? `./${inside}` : inside;
}

function refused(why: string): HubError {
  return new HubError("INVALID_PARAMS", `The path of the file ${why}`);
}
