import { randomBytes } from "node:crypto";
import { closeSync, openSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { MappedPath } from "../base/index.ts";
import {
  inIdmapHelper,
  MOUNT_ROOT,
  openAll,
  openNamespace,
  overlayPlaces,
  pathInMount,
  scratchOf,
} from "../idmap/index.ts";
import { type DiscardRequest, type DiscardSandbox, filesFor } from "./discard-sandbox.ts";

/** A sandbox in which the roots are laid over: what is written to them is memory. Rejects with JailError. */
export async function openOverlaySandbox(wish: DiscardRequest): Promise<DiscardSandbox> {
  const { user, paths, roots, bytes, signal } = wish;
  const directory = `${MOUNT_ROOT}/${randomBytes(12).toString("hex")}`;
  const numbers = paths.flatMap(({ path }, n) => (roots.includes(path) ? [n] : []));
  const over = { paths: numbers, bytes, files: filesFor(bytes) };
  const opened = await inIdmapHelper({ user, directory, paths, over }, signal, (pid) =>
    openAll([
      // By this it can still be looked at when nobody lives in the namespace any more.
      () => openSync(`/proc/${pid}/root${scratchOf(directory)}`, "r"),
      () => openNamespace(pid, "mnt"),
      ...(user ? [] : [() => openNamespace(pid, "user")]),
    ]),
  );
  return sandboxOf(opened, { directory, paths, numbers, bytes });
}

interface Facts {
  readonly directory: string;
  readonly paths: readonly MappedPath[];
  readonly numbers: readonly number[];
  readonly bytes: number;
}

function sandboxOf(opened: readonly number[], { directory, paths, numbers, bytes }: Facts): DiscardSandbox {
  const [scratch, mount, user] = opened.map((fd) => `/proc/${process.pid}/fd/${fd}`) as [string, string, string?];
  const at = (n: number) => (numbers.includes(n) ? overlayPlaces(directory, n).merged : join(directory, `${n}`));
  let open = true;
  return {
    how: "overlay",
    namespaces: { mount, ...(user === undefined ? {} : { user }) },
    pathOf: (hostPath) => pathInMount(hostPath, paths, at),
    layers: () =>
      numbers.map((n) => ({
        root: (paths[n] as MappedPath).path,
        after: join(scratch, `${n}/merged`),
        upper: join(scratch, `${n}/upper`),
      })),
    fullness: () => {
      const { bavail, ffree } = statfsSync(scratch);
      return bavail === 0 || ffree === 0 ? `what it may write in a preview (${bytes} bytes)` : undefined;
    },
    // Its scratch is as large as it may get.
    outgrown: () => Promise.resolve(undefined),
    release() {
      if (!open) return;
      open = false;
      for (const fd of opened) closeSync(fd);
    },
  };
}
