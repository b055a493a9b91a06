import { isInside } from "./trusted-path.ts";

/** What is in a directory comes right behind it: `a`, `a/b`, `a-b`. */
export function comparePaths(one: string, other: string): number {
  const [first, second] = [one.replaceAll("/", "\0"), other.replaceAll("/", "\0")];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** In order, without those that lie in another. */
export function outermostPaths(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...paths].sort(comparePaths)) {
    const last = kept.at(-1);
    if (last === undefined || !isInside(path, last)) kept.push(path);
  }
  return kept;
}
