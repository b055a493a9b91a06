import { closeSync, constants, openSync, readlinkSync } from "node:fs";

export interface HeldDirectory {
  /** A path to it that leads there whatever stands at its name meanwhile. */
  readonly path: string;
  release(): void;
}

/** Linux: a place, without reading it; a directory that may only be entered can be held too. */
const O_PATH = 0o10000000;

/**
 * Holds the directory that stands at this real path now; undefined when there is none, or the path leads somewhere else.
 * Elsewhere than on Linux there is nothing to hold it by, and the path itself is all there is.
 */
export function holdDirectory(realPath: string): HeldDirectory | undefined {
  if (process.platform !== "linux") return { path: realPath, release: () => undefined };
  let fd: number;
  try {
    fd = openSync(realPath, constants.O_DIRECTORY | O_PATH);
  } catch {
    return undefined;
  }
  const path = `/proc/${process.pid}/fd/${fd}`;
  const release = () => closeSync(fd);
  if (readlinkSync(path) === realPath) return { path, release };
  release();
  return undefined;
}
