import { availableMemory } from "@countersign/core/config";
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

const GIB = 1024 ** 3;

export interface OverlayLimits {
  /** What may be written over one workspace. */
  readonly bytes: number;
  /** At once: together they take half of the memory. */
  readonly most: number;
}

/** What is written over a workspace is memory, for as long as its session lasts and whether or not anything runs in it. */
export function overlayLimits(memory = availableMemory()): OverlayLimits {
  const bytes = Math.min(GIB, Math.floor(memory / 16));
  return { bytes, most: Math.floor(memory / 2 / bytes) };
}
