import type { IsolationWish, Isolator } from "@countersign/execd-dev";
import {
  JailError,
  type JailErrorCode,
  openWorkspaceJail,
  overlayLimits,
  type WorkspaceJailOptions,
} from "@countersign/jail";
import { WishRefused } from "@countersign/sandbox";
import { insideOf } from "./inside-of.ts";

interface Given {
  readonly bindable: readonly string[];
  readonly ids: Isolator["ids"];
}

/** Jails of their own for sessions, around the same workspace or a part of it. */
export function isolatorFor(options: WorkspaceJailOptions, { bindable, ids }: Given): Isolator {
  const { workspace, network: hasNetwork } = options;
  const { bytes, most } = overlayLimits();
  const overlays = new Overlays(most);
  return {
    ...{ name: "bubblewrap", hasNetwork, ids },
    async open(wish) {
      const network = wish.network && hasNetwork;
      const isOverlay = wish.workspace.mode === "overlay";
      const limited = isOverlay ? { tmpBytes: bytes, ...options } : options;
      const release = isOverlay ? overlays.take() : () => undefined;
      try {
        const jail = await openWorkspaceJail({ ...limited, network, ...asked(wish, workspace, bindable) });
        const { roots, starter } = insideOf(jail);
        const close = () => jail.close().finally(release);
        return { workspace: jail.workspace, roots, starter, env: jail.env, close };
      } catch (cause) {
        release();
        throw asWish(cause);
      }
    },
  };
}

/** Overlays are memory, and so there are so many at once. */
class Overlays {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** What gives it back, once. */
  take(): () => void {
    if (this.#taken >= this.#most) {
      const message = `there are ${this.#most} sessions with overlays already, which is what the memory has room for; delete one, or ask for rw or ro`;
      throw new WishRefused("full", message);
    }
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= 1;
      isTaken = false;
    };
  }
}

/** One that wants the workspace as it is needs no mounts of its own, which not every machine lets an ordinary user have. */
function asked(
  { workspace: { path, mode }, binds, uid, gid }: IsolationWish,
  workspace: string,
  allowed: readonly string[],
): Pick<WorkspaceJailOptions, "readOnly" | "session"> {
  const isPlain = mode !== "overlay" && binds.length === 0 && uid === undefined && gid === undefined;
  if (isPlain && path === workspace) return { readOnly: mode === "ro" };
  const named = binds.map(({ source, dest, readOnly }) => ({ source, path: dest, readOnly }));
  return { session: { root: path, mode, binds: named, allowed, ids: { uid, gid } } };
}

function asWish(cause: unknown): unknown {
  if (!(cause instanceof JailError)) return cause;
  if (cause.code === "MOUNT_OUTSIDE") return new WishRefused("outside", cause.message, { cause });
  if (cause.code === "MOUNT_REFUSED") return new WishRefused("invalid", cause.message, { cause });
  if (!NO_ROOM.includes(cause.code)) return cause;
  return new Error(`${cause.message}. The workspace itself can be had, as rw or ro`, { cause });
}

/** Mounts of its own can't be had here by this user. */
const NO_ROOM: readonly JailErrorCode[] = ["OVERLAY_UNAVAILABLE", "ROOM_FAILED", "NETWORK_UNAVAILABLE"];
