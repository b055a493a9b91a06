import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";

/** A file whose code a run is about to start, as it was when it was bound. */
export interface CodeSnapshot {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}

/** A descriptor from which bwrap reads it. The file has no name, so that nobody else can change it and nothing is left. */
export function openSnapshot({ content }: CodeSnapshot, directory: string): number {
  const path = join(directory, `code-${uuidv7()}`);
  const fd = openSync(path, "wx+", 0o600);
  try {
    unlinkSync(path);
    writeFileSync(fd, content);
    // Another description of it: this one stands at its end.
    return openSync(`/proc/self/fd/${fd}`, "r");
  } finally {
    closeSync(fd);
  }
}
