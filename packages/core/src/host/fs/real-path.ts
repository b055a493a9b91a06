import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Names of the kernel's that lead each process to its own. */
const OF_EACH_PROCESS = /^\/(?:proc\/(?:self|thread-self|mounts|net)|dev\/(?:fd|std(?:in|out|err)))(?:\/|$)/;

/**
 * The path with symlinks resolved as far as it exists, the rest appended: what a command would touch, also when it is
 * about to create it. Undefined when that can't be told (no permission, a loop, too long). `/proc/self` stays as it was typed: resolved,
 * it would name this process, and a command means its own.
 */
export function realPathAsFarAsItExists(path: string): string | undefined {
  const typed = resolve(path);
  const real = resolved(typed);
  return real !== undefined && OF_EACH_PROCESS.test(typed) && isOfThisProcess(real) ? typed : real;
}

function isOfThisProcess(real: string): boolean {
  return `${real}/`.startsWith(`/proc/${process.pid}/`);
}

function resolved(path: string): string | undefined {
  const missing: string[] = [];
  let rest = path;
  for (;;) {
    try {
      // realpath throws for a dangling link, which exists: writing through it creates a file somewhere else.
      if (lstatSync(rest, { throwIfNoEntry: false })) return join(realpathSync.native(rest), ...missing);
    } catch {
      return undefined;
    }
    if (dirname(rest) === rest) return undefined;
    missing.unshift(basename(rest));
    rest = dirname(rest);
  }
}
