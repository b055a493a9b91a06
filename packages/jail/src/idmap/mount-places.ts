import { join } from "node:path";

/** In a namespace's directory: the mounts once more with their owners as they are on disk, for a root hub's own calls. */
export function plainOf(directory: string): string {
  return join(directory, "plain");
}

export interface MountShape {
  readonly directory: string;
  /** Which of the mounts are laid over. */
  readonly over: readonly number[];
  /** Whether owners in the namespace are others than on disk. */
  readonly isMapped: boolean;
}

/** Where the nth mount stands, for the jail and for the hub: through a mount that maps owners root couldn't make a file. */
export function mountPlaces({ directory, over, isMapped }: MountShape, n: number): { jail: string; files: string } {
  if (over.includes(n)) {
    const { merged } = overlayPlaces(directory, n);
    return { jail: merged, files: merged };
  }
  const jail = join(directory, `${n}`);
  return { jail, files: isMapped ? join(plainOf(directory), `${n}`) : jail };
}

/** In a namespace's directory: what is written in it. */
export function scratchOf(directory: string): string {
  return join(directory, "scratch");
}

/** In that: what was written over the nth path, what the kernel needs to do so, and how the path looks then. */
export function overlayPlaces(directory: string, n: number): { upper: string; work: string; merged: string } {
  const at = (name: string) => join(scratchOf(directory), `${n}`, name);
  return { upper: at("upper"), work: at("work"), merged: at("merged") };
}
