import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { isAbsence, type OpenDirectory } from "@countersign/core/host/fs";
import { pathFromBytes } from "@countersign/native";
import type { FileState } from "@countersign/protocol/proposals";

/** What stands at a name, and when it was last changed. */
export interface Standing extends FileState {
  readonly changedNs: bigint;
}

/** Undefined when nothing does, or nothing that we may look at. */
export function standingAt(directory: OpenDirectory, name: string): Standing | undefined {
  try {
    const at = directory.at(name);
    const stat = lstatSync(at, { bigint: true });
    const type = typeOf(stat);
    return {
      type,
      mode: (stat.mode & 0o7777n).toString(8),
      // A directory's size is its file system's own matter.
      size: type === "directory" ? 0 : Number(stat.size),
      ...(type === "link" ? { target: pathFromBytes(readlinkSync(at, { encoding: "buffer" })).toWellFormed() } : {}),
      changedNs: stat.ctimeNs,
    };
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
}

export function stateOf({ changedNs: _, ...state }: Standing): FileState {
  return state;
}

function typeOf(stat: BigIntStats): FileState["type"] {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "link" : "other";
}
