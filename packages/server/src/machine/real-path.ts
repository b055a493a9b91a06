import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/**
 * The path with symlinks resolved as far as it exists, the rest appended: what a command would touch, also when it is
 * about to create it. Undefined when that can't be told (no permission, a loop, too long).
 */
export function realPathAsFarAsItExists(path: string): string | undefined {
  const missing: string[] = [];
  let rest = resolve(path);
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
