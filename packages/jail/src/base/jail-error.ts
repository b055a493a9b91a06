export type JailErrorCode =
  /** No bwrap that only root can change: install bubblewrap. */
  | "BWRAP_MISSING"
  /** Another system program isn't there, or others than root could have changed it: install the one that is named. */
  | "PROGRAM_MISSING"
  /** The workspace is a directory that no jail can be cut around, such as `/`: give the agent a narrower one. */
  | "ROOT_TOO_WIDE"
  /** More lies in the workspace than is looked at, or covered, before a run: give the agent a narrower one. */
  | "TOO_MANY_PLACES"
  /** Another run keeps a name free of what starts code, and this one was approved to make that: wait until it has ended. */
  | "PLACE_HELD"
  /** A jail was built and didn't hold or didn't start: the message tells what bwrap said. */
  | "PROBE_FAILED"
  /** This processor's system calls aren't known: nothing can be filtered. */
  | "ARCHITECTURE_UNKNOWN"
  /** A root hub has nobody to become: name an unprivileged user with `sandboxUser`. */
  | "USER_MISSING"
  /**
   * A path can't be lent to the user that a root hub becomes: it isn't real, or neither directory, file nor socket, or its
   * owner is no real user or that user itself. Give another path.
   */
  | "PATH_REFUSED"
  /** A path was replaced while a mount room was made: look at it again; it may be tried once more. */
  | "PATH_CHANGED"
  /** The kernel or a path's filesystem can't map owners: move the workspace, or run the hub as the workspace's owner. */
  | "IDMAP_UNSUPPORTED"
  /** A mount room couldn't be made for any other reason: the message holds the system's own words. */
  | "ROOM_FAILED"
  /** Nothing can be laid over a workspace here: preview it in a copy. */
  | "OVERLAY_UNAVAILABLE"
  /** A workspace is larger than is copied for a preview: give the agent a narrower one, or decide without. */
  | "TOO_LARGE_TO_COPY"
  /** A session asked for a directory that isn't in what it may be given: give one that is. */
  | "MOUNT_OUTSIDE"
  /** A session asked for a directory that isn't there, or to have one where none can be put: the message tells which. */
  | "MOUNT_REFUSED"
  /** The run's limits can't be held, though they could at the hub's start: the message holds the system's own words. */
  | "LIMITS_FAILED"
  /** No private network can be made here: the message tells what bwrap said. */
  | "NETWORK_UNAVAILABLE"
  /** All mount rooms or network rooms are in use: wait until a run has ended. */
  | "TOO_MANY_ROOMS"
  /** What a jail keeps in the home or makes in the workspace couldn't be written: make space, or mend the rights. */
  | "STATE_UNWRITABLE"
  /** What a jail holds can't be watched, so that nobody could tell when it is lost: the message tells which limit was reached. */
  | "WATCH_FAILED"
  /** A script is another one than was decided about: propose it again. */
  | "CODE_CHANGED"
  /** A file that was to be opened for writing is another one than was approved: propose the command again. */
  | "OPENING_CHANGED"
  /** What was to be set in its environment can't be: leave it out. */
  | "ENV_REFUSED"
  /** Whoever wanted the jail doesn't any more: start nothing. */
  | "CANCELLED"
  /** The hub is stopping: start nothing. */
  | "CLOSED";

/** A jail could not be built. Nothing was started; nothing is started without it. */
export class JailError extends Error {
  override readonly name = "JailError";
  readonly code: JailErrorCode;

  constructor(code: JailErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
