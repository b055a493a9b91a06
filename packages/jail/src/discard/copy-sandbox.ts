import { lstatSync, statfsSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Undo } from "@countersign/core/base";
import { isAbsence, isInside, kindAt, type OpenDirectory, openInside, readDirectory } from "@countersign/core/host/fs";
import { mappedPaths } from "../base/index.ts";
import { type MountNamespace, SharedIdmapMount } from "../idmap/index.ts";
import { removeWhole } from "../workspace/index.ts";
import { COPY_LIMITS, copyWorkspace } from "./copy-workspace.ts";
import { type DiscardRequest, type DiscardSandbox, filesFor, type Layer } from "./discard-sandbox.ts";

/** What copies are called where they are kept. */
export const COPIES = "preview-";

/** A sandbox in which copies stand for the roots. `keptIn` is ours alone. Rejects with JailError. */
export async function openCopySandbox(wish: DiscardRequest, keptIn: string): Promise<DiscardSandbox> {
  const undo = new Undo();
  try {
    const scratch = await mkdtemp(join(keptIn, COPIES));
    undo.push(() => removeWhole(scratch));
    const copies = wish.roots.map((root, n) => ({ root, copy: join(scratch, `${n}`) }));
    const budget = { ...COPY_LIMITS };
    const leftOut = new Set<string>();
    for (const { root, copy } of copies)
      for (const path of await copyWorkspace({ root, copy }, budget, wish.signal)) leftOut.add(path);
    const sinceNs = tick(join(scratch, "since"));
    const sandbox = await namespaceOver(wish, copies);
    undo.push(() => sandbox.release());
    return {
      how: "copy",
      namespaces: sandbox.namespaces,
      pathOf: (hostPath) => sandbox.pathOf(inCopy(hostPath, copies)),
      layers: () => copies.map(({ root, copy }): Layer => ({ root, after: copy, copied: { sinceNs, leftOut } })),
      fullness: () => undefined,
      outgrown: await growthOf(scratch, wish.bytes),
      release: () => undo.all(),
    };
  } catch (cause) {
    await undo.all();
    throw cause;
  }
}

/**
 * Tells when what is in a directory has grown by more than so many bytes. How much space is left is asked first, which is
 * quick: whatever else is written to the disk only makes us look closer.
 */
async function growthOf(directory: string, bytes: number): Promise<DiscardSandbox["outgrown"]> {
  const most = { bytes, files: filesFor(bytes) };
  const before = { disk: statfsSync(directory), tree: await measureTree(directory, Number.MAX_SAFE_INTEGER) };
  const isNear = () => {
    const { bfree, ffree, bsize } = statfsSync(directory);
    return (before.disk.bfree - bfree) * bsize > most.bytes || before.disk.ffree - ffree > most.files;
  };
  return async () => {
    // It may be gone by now.
    if (kindAt(directory) === undefined || !isNear()) return undefined;
    const now = await measureTree(directory, before.tree.entries + most.files);
    if (now.complete && now.bytes - before.tree.bytes <= most.bytes) return undefined;
    return `It wrote more than a preview may (${most.bytes} bytes, ${most.files} files)`;
  };
}

interface Copy {
  readonly root: string;
  readonly copy: string;
}

/** A dropped user must be shown the copies as its own, like the workspace itself. */
async function namespaceOver({ user, paths, roots }: DiscardRequest, copies: readonly Copy[]): Promise<MountNamespace> {
  if (!user) return { namespaces: {}, pathOf: (path) => path, release: () => undefined };
  const others = paths.map(({ path }) => path).filter((path) => !roots.includes(path));
  const kept = new SharedIdmapMount(user, mappedPaths([...others, ...copies.map(({ copy }) => copy)], user));
  const sandbox = await kept.lease();
  kept.retire();
  return sandbox;
}

function inCopy(hostPath: string, copies: readonly Copy[]): string {
  const found = copies.find(({ root }) => isInside(hostPath, root));
  return found ? join(found.copy, relative(found.root, hostPath)) : hostPath;
}

/** By the clock that changed files are stamped with, which goes in steps: what has the same stamp may be later. */
function tick(path: string): bigint {
  writeFileSync(path, "");
  return lstatSync(path, { bigint: true }).ctimeNs;
}

interface Measured {
  /** On the disk. */
  bytes: number;
  entries: number;
  /** Nothing was too deep, too much or closed to us. */
  complete: boolean;
}

const MOST_DEPTH = 128;
/** So that others get their turn. */
const ENTRIES_AT_ONCE = 500;

/** What a tree takes, while it may be changed; no link is followed. Stops where it is more than `most` entries. */
async function measureTree(path: string, most: number): Promise<Measured> {
  const measured = { bytes: 0, entries: 0, complete: true };
  using directory = openInside(path);
  if (directory) await measureInside(directory, measured, { most, depth: 0 });
  return measured;
}

async function measureInside(
  directory: OpenDirectory,
  measured: Measured,
  { most, depth }: { readonly most: number; readonly depth: number },
): Promise<void> {
  const room = { size: Number.POSITIVE_INFINITY, most: most - measured.entries };
  const reading = depth > MOST_DEPTH ? { failed: "ELOOP" } : readDirectory(directory.path, room);
  if ("failed" in reading || reading.more) measured.complete = false;
  if ("failed" in reading) return;
  for (const { name } of reading.entries) {
    measured.entries += 1;
    if (measured.entries % ENTRIES_AT_ONCE === 0) await setImmediate();
    const stat = statOf(directory.at(name));
    measured.bytes += (stat?.blocks ?? 0) * 512;
    if (!stat?.isDirectory()) continue;
    using inside = openInside(directory.at(name));
    if (inside) await measureInside(inside, measured, { most, depth: depth + 1 });
    else measured.complete = false;
  }
}

/** Undefined when it is gone. */
function statOf(at: string | Buffer) {
  try {
    return lstatSync(at);
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
}
