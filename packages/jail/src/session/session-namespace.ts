import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import { mappedPaths } from "../base/index.ts";
import {
  type IdmapRequest,
  inIdmapHelper,
  MOUNT_ROOT,
  type MountNamespace,
  mountPlaces,
  openAll,
  openNamespace,
} from "../idmap/index.ts";
import type { SessionMount, SessionMounts } from "./session-mount.ts";

export interface SessionNamespaceOptions {
  readonly mounts: SessionMounts;
  /** Paths of the host that the dropped user couldn't read otherwise. */
  readonly lent: readonly string[];
  /** The dropped user of a root hub. */
  readonly user: IdmapRequest["user"];
  /** What may be written over a workspace. */
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** A directory of a session, as the hub itself reaches it. */
export interface SessionRoot {
  readonly path: string;
  readonly directory: string;
  readonly readOnly: boolean;
  /** Whose what is made there must be, so that the session can change it. Undefined: whoever makes it. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** The mounts of a session, made once and held by descriptors as long as it lasts: no name is looked up again. */
export interface SessionNamespace extends MountNamespace {
  readonly mounts: SessionMounts;
  readonly roots: readonly SessionRoot[];
  /** Whether the jail's user can read what stands at a path of the host. */
  lends(hostPath: string): boolean;
}

/** A name is memory too, beside what is written: a quarter of that at the most. */
const BYTES_PER_FILE = 4_096;
const { O_DIRECTORY } = constants;
const O_PATH = 0o10000000;

/** Rejects with JailError. */
export async function openSessionNamespace(wish: SessionNamespaceOptions): Promise<SessionNamespace> {
  const { mounts, user, bytes, signal } = wish;
  const directory = `${MOUNT_ROOT}/${randomBytes(12).toString("hex")}`;
  const over = mounts.flatMap(({ mode }, n) => (mode === "overlay" ? [n] : []));
  // Not each once: one directory may be seen at two places.
  const mapped = mounts.flatMap(({ source, found }) =>
    mappedPaths([source], user).map((path) => ({ ...path, ...found })),
  );
  const lent = user ? mappedPaths(wish.lent, user) : [];
  const request: IdmapRequest = {
    ...{ user, directory, paths: [...mapped, ...lent], mounts: mounts.map((mount) => asRequest(mount, mounts)) },
    ...(over.length > 0 ? { over: { paths: over, bytes, files: Math.floor(bytes / BYTES_PER_FILE) } } : {}),
  };
  const shape = { directory, over, isMapped: user !== undefined };
  const places = mounts.map((_, n) => mountPlaces(shape, n));
  const opened = await inIdmapHelper(request, signal, (pid) =>
    openAll([
      () => openNamespace(pid, "mnt"),
      ...places.map(
        ({ files }) =>
          () =>
            openSync(`/proc/${pid}/root${files}`, O_PATH | O_DIRECTORY),
      ),
      ...(user ? [] : [() => openNamespace(pid, "user")]),
    ]),
  );
  const named = opened.map((fd) => `/proc/${process.pid}/fd/${fd}`);
  const lentAt = (path: string) => lent.findLastIndex((one) => isInside(path, one.path));
  let isOpen = true;
  return {
    mounts,
    namespaces: { mount: named[0] as string, ...(user ? {} : { user: named.at(-1) as string }) },
    roots: mounts.map(({ path, mode }, n) => ({
      ...{ path, directory: named[n + 1] as string, readOnly: mode === "ro" },
      ...(user && mode === "overlay" ? { owner: user } : {}),
    })),
    lends: (path) => lentAt(path) >= 0,
    pathOf(path) {
      const mount = path === mounts[1].source ? 1 : mounts.findIndex((one) => one.path === path);
      if (mount >= 0) return places[mount]?.jail as string;
      const n = lentAt(path);
      return n < 0 ? path : join(directory, `${mounts.length + n}`, relative(lent[n]?.path as string, path));
    },
    release() {
      if (!isOpen) return;
      isOpen = false;
      for (const fd of opened) closeSync(fd);
    },
  };
}

function asRequest({ mode, inside, path }: SessionMount, mounts: SessionMounts) {
  const around = mounts[inside ?? -1];
  return {
    readOnly: mode === "ro",
    ...(around && inside !== undefined ? { inside: { mount: inside, at: relative(around.path, path) } } : {}),
  };
}
