import type { JailKind } from "./plan-jail.ts";

/** One thing to do about a place in the workspace, in the order given. */
export type PlaceStep =
  /** Bound over itself: a mount point can't be renamed, removed or replaced. */
  | { readonly do: "pin"; readonly path: string }
  | { readonly do: "read-only"; readonly path: string }
  /** Nothing is there but an empty directory that holds the name: covered, so that nothing can be put there. */
  | { readonly do: "mask"; readonly path: string }
  /** Can't be read: what is there is a secret, or a way out. */
  | { readonly do: "hide"; readonly path: string; readonly kind: "file" | "directory" };

interface Shown {
  readonly path: string;
  /** What is seen there, where that is a link: real. */
  readonly source?: string | undefined;
  readonly writable: boolean;
  /** Its user's own, even if everyone may read it. */
  readonly own?: boolean | undefined;
}

/** What a jail shows of the machine. All paths are real and absolute. */
export interface JailView {
  readonly kind: JailKind;
  readonly cwd: string;
  readonly home: string;
  /** Where the command may work; written only in a workspace or open jail. */
  readonly roots: readonly string[];
  /** Trees of which nothing is seen but what is listed below. None lies in another. */
  readonly hidden: readonly string[];
  /** Empty and writable, gone with the run. They may lie in a hidden tree or be one. */
  readonly scratch: readonly string[];
  /** Seen although a hidden tree is around it. */
  readonly shown: readonly Shown[];
  readonly steps: readonly PlaceStep[];
  /** Of each scratch directory. */
  readonly scratchBytes: number;
}
