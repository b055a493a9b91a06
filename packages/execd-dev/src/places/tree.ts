/** What of a file system can be asked for. */
export interface Tree {
  /** Throws with a system error's `code` where there's no such directory above it, and OutsideError where it isn't of this tree. */
  find(path: string, wish: Wish): Place;
  /** Opens a directory, so that what is found in it is found in this one and no other. A link is none. */
  enter(place: Pick<Place, "shown" | "path">): Place;
  /** A path of the very thing that stands there now, and not of what somebody puts in its place. */
  pin(place: Pick<Place, "shown" | "path">): Place;
  /** For opening what was found. */
  readonly openFlags: number;
  close(): void;
}

export interface Wish {
  /** Whether a link at its end stands for what it leads to. */
  readonly follow: boolean;
  /** Whether directories above it are made. */
  readonly make?: boolean;
}

/** A name, held until it is closed: nobody can lead it elsewhere meanwhile. */
export interface Place {
  /** As whoever asks knows it. */
  readonly shown: string;
  /** What calls are made with. */
  readonly path: string;
  /** All that there is is in it. */
  readonly isRoot?: boolean;
  /** Whose it becomes, where nobody is named. Undefined: this user's. */
  readonly owner?: Owner | undefined;
  close(): void;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export class OutsideError extends Error {
  constructor(path: string, roots: readonly string[]) {
    super(`${path} is outside of what this execd was given: ${roots.join(", ")}`);
    this.name = "OutsideError";
  }
}
