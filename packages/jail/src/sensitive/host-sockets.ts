import { closeSync, openSync, readSync, statSync } from "node:fs";
import { type Clock, systemClock } from "@countersign/core/base";
import { isAbsence, realPath } from "@countersign/core/host/fs";
import { nodePath, pathFromBytes } from "@countersign/native";

const LIFETIME_MS = 1_000;

/** Far above what a busy machine has: 64 bytes and a path for each socket. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_SOCKETS = 20_000;

/** `Num RefCount Protocol Flags Type St Inode Path`, the path only when the socket has a name. */
const LINE = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{4} [0-9A-F]{2} +\d+ (\/.*)$/gm;

/**
 * The files of unix sockets that someone on this machine has bound, by their real paths. The list is read each time, since a
 * service may have begun to listen a moment ago; where its names lead is remembered for a second while they are the same.
 */
export function makeHostSockets(clock: Clock = systemClock): () => readonly string[] {
  let known: { readonly names: string; readonly untilMs: number; readonly sockets: readonly string[] } | undefined;
  return () => {
    const paths = boundPaths(readBounded("/proc/net/unix"));
    const names = paths.join("\0");
    const nowMs = clock.monotonicMs();
    if (known === undefined || known.names !== names || nowMs >= known.untilMs) {
      known = { names, untilMs: nowMs + LIFETIME_MS, sockets: realSockets(paths) };
    }
    return known.sockets;
  };
}

/**
 * Paths in the kernel's list: listening, connected and datagram sockets alike. Abstract names (`@…`) have no file, and
 * relative ones don't say where they were bound.
 */
export function boundPaths(list: Buffer): string[] {
  const paths = new Set<string>();
  for (const [, path] of list.toString("latin1").matchAll(LINE)) {
    if (paths.size === MOST_SOCKETS) break;
    paths.add(pathFromBytes(Buffer.from(path as string, "latin1")));
  }
  return [...paths];
}

/**
 * Those that stand in our own mount namespace. Anyone may bind a name with a line break in it and so forge a line: what isn't
 * a socket isn't given back.
 */
export function realSockets(paths: readonly string[]): string[] {
  const real = paths.map(realPath).filter((path) => path !== undefined);
  return [...new Set(real)].filter((path) => statSync(nodePath(path), { throwIfNoEntry: false })?.isSocket());
}

function readBounded(path: string): Buffer {
  const chunks: Buffer[] = [];
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    // No Linux.
    if (isAbsence(cause)) return Buffer.alloc(0);
    throw cause;
  }
  try {
    for (let total = 0; total < MOST_BYTES; ) {
      const chunk = Buffer.allocUnsafe(64 * 1024);
      const length = readSync(file, chunk);
      if (length === 0) break;
      chunks.push(chunk.subarray(0, length));
      total += length;
    }
  } finally {
    closeSync(file);
  }
  return Buffer.concat(chunks);
}
