import { type Dirent, opendirSync, readdirSync } from "node:fs";
import { nodePath, pathFromBytes } from "@countersign/native";

export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

type EntryKind = "directory" | "file" | "link" | "socket" | "other";

export interface Reading {
  readonly entries: readonly Entry[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

/** A directory larger than this is read piece by piece, so that a million names are never held at once. */
const SMALL_BYTES = 64 * 1024;

/** The entries of a directory, at most `most`, links not followed; the error's code when it can't be read. */
export function readDirectory(path: string, about: { size: number; most: number }): Reading | { failed: string } {
  try {
    if (about.size > SMALL_BYTES) return readPiecewise(path, about.most);
    const found = readdirSync(nodePath(path), { withFileTypes: true });
    // The replacement character stands for what isn't UTF-8: read again as bytes.
    if (found.length > about.most || found.some(({ name }) => name.includes("\uFFFD"))) {
      return readPiecewise(path, about.most);
    }
    return { entries: found.map((one) => ({ name: one.name, kind: kindOf(one) })), more: false };
  } catch (cause) {
    return { failed: (cause as NodeJS.ErrnoException).code ?? "UNKNOWN" };
  }
}

function kindOf(one: Dirent): EntryKind {
  if (one.isFile()) return "file";
  if (one.isDirectory()) return "directory";
  if (one.isSymbolicLink()) return "link";
  return one.isSocket() ? "socket" : "other";
}

function readPiecewise(path: string, most: number): Reading {
  // With this encoding names are buffers, which the types don't say.
  const directory = opendirSync(nodePath(path) as string, { encoding: "buffer" as BufferEncoding, bufferSize: 1024 });
  try {
    const entries: Entry[] = [];
    for (let one = directory.readSync(); one !== null; one = directory.readSync()) {
      if (entries.length === most) return { entries, more: true };
      entries.push({ name: pathFromBytes(one.name as unknown as Buffer), kind: kindOf(one) });
    }
    return { entries, more: false };
  } finally {
    directory.closeSync();
  }
}
