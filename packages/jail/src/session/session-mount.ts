import type { FoundDirectory } from "../idmap/index.ts";

/** What a session asks for, besides what every jail shows. */
export interface SessionRequest {
  /** The workspace, or a directory in it. */
  readonly root: string;
  /** `overlay`: what is written to it is kept apart, and gone with the session. */
  readonly mode: MountMode;
  readonly binds: readonly BindRequest[];
  /** Directories besides the workspace of which something may be bound. */
  readonly allowed: readonly string[];
  /** By which numbers its user and group are called inside; the user is the same. */
  readonly ids: { readonly uid?: number | undefined; readonly gid?: number | undefined };
}

type MountMode = "rw" | "ro" | "overlay";

export interface BindRequest {
  readonly source: string;
  /** Where the source itself is, without links, where it isn't named. */
  readonly path?: string | undefined;
  readonly readOnly: boolean;
}

/** A directory that a session sees. Both paths are absolute and without links; the source was when it was looked at. */
export interface SessionMount {
  readonly path: string;
  readonly source: string;
  readonly mode: MountMode;
  /** What was found there, with the rights of its tree's owner. Undefined: it is ours, and nobody else comes to it. */
  readonly found?: FoundDirectory | undefined;
  /** By number, the innermost of the others that it is seen in. Undefined: it stands by itself, in what nobody works in. */
  readonly inside?: number | undefined;
}

/** The first is the workspace, the second is /tmp. */
export type SessionMounts = readonly [SessionMount, SessionMount, ...SessionMount[]];
