import { basename, dirname, join, relative, resolve } from "node:path";
import { HubError } from "@countersign/core/errors";
import { homeDirectory } from "@countersign/core/host";
import { isInside, realPathAsFarAsItExists } from "@countersign/core/host/fs";

const MAX_PATH = 4096;
/** What these lead to for us they don't lead to for the agent. */
const OF_EACH_PROCESS = /^\/(?:proc\/(?:self|thread-self)|dev\/(?:fd|std(?:in|out|err)))(?:\/|$)/;

/**
 * The path that an agent's tool will open, links resolved. Agents trim, normalise and expand what a model gave them, each in its own way:
 * where that could lead to another file than the one we see, it is refused.
 */
export function agentPath(path: string, cwd: string): string {
  return realOf(expand(path, cwd));
}

/** The name that goes when a file is taken away: of a link the link, not what it leads to. */
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

/** For a command that runs in `cwd`: relative where it lies inside, and never like an option. */
export function operandOf(real: string, cwd: string): string {
  if (!isInside(real, cwd)) return real;
  const inside = relative(cwd, real) || ".";
  return inside.startsWith("-") ? `./${inside}` : inside;
}

function refused(why: string): HubError {
  return new HubError("INVALID_PARAMS", `The path of the file ${why}`);
}
