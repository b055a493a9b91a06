import { lstatSync, realpathSync } from "node:fs";
import { nodePath, pathFromBytes } from "@countersign/native";

/** What stands at a path, links not followed; undefined when nothing does that we could reach. */
export function kindAt(path: string): "directory" | "link" | "other" | undefined {
  return unlessAbsent(() => {
    const stat = lstatSync(nodePath(path), { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (stat.isDirectory()) return "directory";
    return stat.isSymbolicLink() ? "link" : "other";
  });
}

/** The path with all links followed; undefined when it leads nowhere. */
export function realPath(path: string): string | undefined {
  return unlessAbsent(() => pathFromBytes(realpathSync.native(nodePath(path), { encoding: "buffer" })));
}

/** Nothing is there, or nothing that we, or a jail with our rights, could reach. */
export function isAbsence(cause: unknown): boolean {
  return ABSENT.includes((cause as NodeJS.ErrnoException).code ?? "");
}

const ABSENT = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"];

function unlessAbsent<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
}
