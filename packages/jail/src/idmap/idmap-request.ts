import type { JailErrorCode, MappedPath } from "../base/index.ts";

/** What the hub asks of the namespace's maker, one line of JSON on its stdin. */
export interface IdmapRequest {
  /** Who shall own the paths there. Absent: owners stay who they are, and the maker is an ordinary user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** An absolute path inside of `MOUNT_ROOT`, for this namespace alone. The nth path stands at `<directory>/<n>`. */
  readonly directory: string;
  readonly paths: readonly MappedPath[];
  /** Of some paths nothing is changed: what is written to them goes elsewhere, see `overlayPlaces`. */
  readonly over?: OverlayRequest | undefined;
  /** How the first of the paths stand to each other; see `attachMounts`. */
  readonly mounts?: readonly MountRequest[] | undefined;
}

/** The nth of them is about the nth path. */
export interface MountRequest {
  readonly readOnly: boolean;
  /** It is also seen in another of them, at a path in it. */
  readonly inside?: { readonly mount: number; readonly at: string } | undefined;
}

export interface OverlayRequest {
  /** Which of the paths, by number; directories. */
  readonly paths: readonly number[];
  /** What may be written, to all of them. */
  readonly bytes: number;
  readonly files: number;
}

/** And its answer, one line on its stdout. It then waits, so that its namespace can be opened. */
export type IdmapReply =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: JailErrorCode; readonly message: string };

/**
 * Covered in each namespace, so that mounts can be put there. Every Linux has it, and a jail replaces /dev in any case; in
 * /run there are things that a jail may want to show.
 */
export const MOUNT_ROOT = "/dev/shm";
