/** Written to the thread's pipe when there is an order, and when it is to end. */
export const WAKE = "w";
export const QUIT = "q";

/** Code that a command starts, by a name that the command uses for it. */
export interface HeldCode {
  readonly name: string;
  /** Where the file itself stands. */
  readonly path: string;
  /** Of code that the jail has no copy of: what it was when it was compared with its hash (`stampOf`). */
  readonly stamp?: string | undefined;
}

/** What must not happen to a name while the run lasts. */
export interface HeldName {
  readonly path: string;
  /**
   * `place`: it may not move. A mount on it tells when it is removed, and a directory with something in it can't be.
   * `link`: nor be removed, since no mount is on it. `code`: nor be written to, since no copy is mounted on it.
   */
  readonly as: "place" | "link" | "code";
}

/** What a jail must go on showing. */
export interface HoldFacts {
  /** Mount points that must be there from the start to the end. */
  readonly points: readonly string[];
  /** The same of those that are there at the start. */
  readonly further: readonly string[];
  readonly names: readonly HeldName[];
  /** Each must still lead where it led. */
  readonly code: readonly (HeldCode & { readonly way: readonly string[] })[];
}

export type WatchOrder =
  | { readonly do: "hold"; readonly id: number; readonly pid: number; readonly facts: HoldFacts }
  | { readonly do: "release"; readonly id: number };

/** `changed`: it wasn't so any more when it was to be held. `lost`: a path, or `""` where nobody knows which. */
export interface WatchAnswer {
  readonly changed?: boolean;
  readonly lost?: string;
}
