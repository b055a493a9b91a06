import { statSync } from "node:fs";

/** Changes whenever a file is written, replaced, renamed over or touched; undefined when there's no regular file. */
export function stampOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    // ctime can't be set back by the file's owner, as mtime can.
    return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
  } catch {
    return undefined;
  }
}
