import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "./fs/index.ts";

/** The nearest directory with a `.git` around a real path, if it lies inside one of the roots. */
export function findRepository(path: string, roots: readonly string[]): string | undefined {
  for (let at = path; roots.some((root) => isInside(at, root)); at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
  return undefined;
}
