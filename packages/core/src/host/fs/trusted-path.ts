import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { realPathAsFarAsItExists } from "./real-path.ts";

const FALLBACK = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const OTHERS_MAY_WRITE = 0o022;

/**
 * The directories in which a program name is looked up, for the classifier and for the child alike: the hub's own PATH
 * without what an agent could write unasked (its roots, directories open to other users, relative ones).
 */
export class TrustedPath {
  readonly directories: readonly string[];

  constructor(path: string | undefined, roots: readonly string[]) {
    const open = [...roots, tmpdir(), "/tmp", "/var/tmp"].map((dir) => realPathAsFarAsItExists(dir) ?? dir);
    const trusted = (dirs: string) => [...new Set(dirs.split(":"))].filter((dir) => isTrusted(dir, open));
    const own = trusted(path || FALLBACK);
    // With an empty PATH bash looks in the working directory, which is the agent's.
    this.directories = own.length > 0 ? own : trusted(FALLBACK);
  }

  toString(): string {
    return this.directories.join(":");
  }

  /**
   * Where `name` would be found, symlinks not resolved: the last link is part of what the name means. Undefined also
   * where what is found lies in one of `roots`: bash would run it all the same, but nobody may rely on what it is.
   */
  resolve(name: string, roots: readonly string[] = []): string | undefined {
    if (name === "" || name.includes("/")) return undefined;
    const dir = this.directories.find((directory) => isProgram(join(directory, name)));
    if (dir === undefined) return undefined;
    const found = join(dir, name);
    if (roots.length === 0) return found;
    const real = realPathAsFarAsItExists(found);
    const writable = real === undefined || roots.some((root) => isInside(found, root) || isInside(real, root));
    return writable ? undefined : found;
  }
}

/** Most directories don't have the name, and are asked in the way that throws nothing: an exception costs ten calls. */
function isProgram(path: string): boolean {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `open` are real paths under which an agent may write. */
function isTrusted(dir: string, open: readonly string[]): boolean {
  if (!isAbsolute(dir)) return false;
  try {
    const real = realpathSync(dir);
    const stat = statSync(real);
    if (!stat.isDirectory() || (stat.mode & OTHERS_MAY_WRITE) !== 0) return false;
    return !open.some((root) => isInside(real, root));
  } catch {
    return false;
  }
}

export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
