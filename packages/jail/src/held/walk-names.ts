import { readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAbsence, kindAt } from "@countersign/core/host/fs";
import { nodePath, pathFromBytes } from "@countersign/native";

/** A name that the kernel reads on its way to a file. No other link is on the way to it. */
interface WalkedName {
  readonly path: string;
  readonly isLink: boolean;
}

export interface Walk {
  readonly names: readonly WalkedName[];
  /** Where the path leads. */
  readonly end: string;
}

/** As many as the kernel follows. */
const MOST_LINKS = 40;

/** Resolves a path as the kernel does and returns each name on the way. Undefined if it leads nowhere. */
export function walkNames(path: string): Walk | undefined {
  const names: WalkedName[] = [];
  const left = partsOf(path);
  let at = "/";
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const kind = kindAt(next);
    if (kind === undefined) return undefined;
    names.push({ path: next, isLink: kind === "link" });
    if (kind !== "link") {
      at = next;
      continue;
    }
    links += 1;
    const target = links > MOST_LINKS ? undefined : targetOf(next);
    if (target === undefined) return undefined;
    if (target.startsWith("/")) at = "/";
    left.unshift(...partsOf(target));
  }
  return { names, end: at };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function targetOf(link: string): string | undefined {
  try {
    return pathFromBytes(readlinkSync(nodePath(link), { encoding: "buffer" }));
  } catch (cause) {
    // EINVAL: it is no link any more.
    if (isAbsence(cause) || (cause as NodeJS.ErrnoException).code === "EINVAL") return undefined;
    throw cause;
  }
}
