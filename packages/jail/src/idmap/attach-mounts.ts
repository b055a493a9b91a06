import { mkdirSync } from "node:fs";
import {
  attachTree,
  attachTreeOn,
  cloneTree,
  makeReadOnly,
  openBeneath,
  openWithoutLinks,
  SystemError,
} from "@countersign/native";
import { JailError } from "../base/index.ts";
import { asOwner, type Owner } from "./as-owner.ts";
import type { MountRequest } from "./idmap-request.ts";
import { makeBeneath } from "./make-beneath.ts";
import { type MountShape, mountPlaces, plainOf } from "./mount-places.ts";

interface Attached extends MountShape {
  /** What was opened for each of them, before anything was mounted, and whose rights there are in it. */
  readonly sources: readonly { readonly fd: number; readonly owner?: Owner | undefined }[];
  /** Who works in the namespace, where owners in it are others than on disk. */
  readonly user: Owner | undefined;
}

/**
 * Puts mounts into others of a namespace, as a session shall see them. They are put on directories that are open, and so on these, whoever swaps them for
 * links meanwhile; bwrap takes all of them at once, and never looks for a place in a directory that somebody else works in.
 */
export function attachMounts(mounts: readonly MountRequest[], namespace: Attached): void {
  if (namespace.isMapped) attachPlain(mounts, namespace);
  const inner = mounts.flatMap(({ inside }, n) => (inside ? [{ n, ...inside, level: levelOf(n, mounts) }] : []));
  // The innermost first: what is put elsewhere goes with all that is in it.
  for (const one of inner.toSorted((a, b) => b.level - a.level)) attachInside(one, mounts, namespace);
}

function levelOf(n: number, mounts: readonly MountRequest[]): number {
  const around = mounts[n]?.inside?.mount;
  return around === undefined ? 0 : 1 + levelOf(around, mounts);
}

function attachPlain(mounts: readonly MountRequest[], namespace: Attached): void {
  mkdirSync(plainOf(namespace.directory));
  for (const [n, { readOnly }] of mounts.entries()) {
    if (namespace.over.includes(n)) continue;
    const { files } = mountPlaces(namespace, n);
    mkdirSync(files);
    const tree = cloneTree(sourceOf(namespace, n).fd);
    if (readOnly) makeReadOnly(tree);
    attachTree(tree, files);
  }
}

function sourceOf({ sources }: Attached, n: number): Attached["sources"][number] {
  return sources[n] as Attached["sources"][number];
}

interface Inner extends NonNullable<MountRequest["inside"]> {
  readonly n: number;
}

function attachInside({ n, mount: around, at }: Inner, mounts: readonly MountRequest[], namespace: Attached): void {
  const [own, others] = [mountPlaces(namespace, n), mountPlaces(namespace, around)];
  try {
    if (!mounts[around]?.readOnly) {
      // Through a mount that maps owners nothing can be made.
      const isOver = namespace.over.includes(around);
      const { fd, owner } = isOver
        ? { fd: openWithoutLinks(others.jail), owner: namespace.user }
        : sourceOf(namespace, around);
      asOwner(owner, () => makeBeneath(fd, at));
    }
    const sides = others.jail === others.files ? (["jail"] as const) : (["jail", "files"] as const);
    for (const side of sides) {
      const point = openBeneath(openWithoutLinks(others[side]), at);
      attachTreeOn(cloneTree(openWithoutLinks(own[side])), point);
    }
  } catch (cause) {
    const why = cause instanceof SystemError ? NO_PLACE[cause.code] : undefined;
    if (why === undefined) throw cause;
    throw new JailError("MOUNT_REFUSED", `Nothing can be mounted at ${at}, in what is there: ${why}`, { cause });
  }
}

const NO_PLACE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such directory, and none can be made",
  ENOTDIR: "it isn't a directory",
  EEXIST: "it isn't a directory",
  ELOOP: "there is a link on the way",
  EXDEV: "the way leads out",
  EROFS: "there is no such directory, and none can be made",
  EACCES: "this user may not go there",
  ENOSPC: "there is no space left",
};
