import { join } from "node:path";
import { overlayPlaces } from "./overlay-places.ts";

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
