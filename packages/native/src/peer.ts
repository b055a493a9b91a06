import { readlinkSync } from "node:fs";
import type { Socket } from "node:net";
import { native } from "./libc.ts";

/** Who is at the other end of a unix socket, by the kernel's word. */
export interface Peer {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** What the process ran when it was looked at; absent where that can't be read. */
  readonly exePath?: string;
}

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** struct ucred: pid, uid, gid, 32 bits each. */
const UCRED_BYTES = 12;

const getsockopt = native(
  "int getsockopt(int fd, int level, int name, _Out_ uint8_t *value, _Inout_ uint32_t *length)",
);

/**
 * Returns who connected: a process that hands the connection on, or becomes another user afterwards, is still reported as it was.
 * Undefined if the kernel doesn't tell. The process id is weaker: by the time somebody looks it up it may be another's.
 * man 7 unix (SO_PEERCRED), any kernel.
 */
export function peerOf(socket: Socket): Peer | undefined {
  const fd = (socket as { readonly _handle?: { readonly fd?: number } })._handle?.fd;
  if (process.platform !== "linux" || fd === undefined || fd < 0) return undefined;
  const value = Buffer.alloc(UCRED_BYTES);
  const length = [UCRED_BYTES];
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, value, length) !== 0 || length[0] !== UCRED_BYTES) return undefined;
  const pid = value.readInt32LE(0);
  const exePath = exeOf(pid);
  return {
    ...{ pid, uid: value.readUInt32LE(4), gid: value.readUInt32LE(8) },
    ...(exePath === undefined ? {} : { exePath }),
  };
}

function exeOf(pid: number): string | undefined {
  // 0: a process that this namespace can't see.
  if (pid <= 0) return undefined;
  try {
    const path = readlinkSync(`/proc/${pid}/exe`, "buffer").toString();
    // Bytes that are no UTF-8 would be signed as something else.
    return path === "" || path.includes("\ufffd") ? undefined : path;
  } catch {
    // Another user's, or gone already: "when readable".
    return undefined;
  }
}
