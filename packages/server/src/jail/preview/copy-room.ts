import { spawn } from "node:child_process";
import { lstatSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { isInside } from "../../machine/trusted-path.ts";
import { Undo } from "../../undo.ts";
import { endOf } from "../end-of.ts";
import { KeptMountRoom, type Room } from "../kept-mount-room.ts";
import { mappedPaths } from "../mapped-path.ts";
import { rootProgram } from "../root-program.ts";
import { COPY_LIMITS, copyWorkspace } from "./copy-workspace.ts";
import type { Layer, ThrowAwayRoom, ThrowAwayWish } from "./throw-away-room.ts";

/** What copies are called where they are kept. */
export const COPIES = "preview-";

/** A room in which copies stand for the roots. `keptIn` is ours alone. Rejects with JailError. */
export async function openCopyRoom(wish: ThrowAwayWish, keptIn: string): Promise<ThrowAwayRoom> {
  const undo = new Undo();
  try {
    const scratch = await mkdtemp(join(keptIn, COPIES));
    undo.push(() => removeCopies(scratch));
    const copies = wish.roots.map((root, n) => ({ root, copy: join(scratch, `${n}`) }));
    const budget = { ...COPY_LIMITS };
    const leftOut = new Set<string>();
    for (const { root, copy } of copies) for (const path of await copyWorkspace(root, copy, budget)) leftOut.add(path);
    const sinceNs = tick(join(scratch, "since"));
    const room = await roomOver(wish, copies);
    undo.push(() => room.release());
    return {
      how: "copy",
      namespaces: room.namespaces,
      pathOf: (hostPath) => room.pathOf(inCopy(hostPath, copies)),
      layers: () => copies.map(({ root, copy }): Layer => ({ root, after: copy, copied: { sinceNs, leftOut } })),
      fullness: () => undefined,
      release: () => undo.all(),
    };
  } catch (cause) {
    await undo.all();
    throw cause;
  }
}

interface Copy {
  readonly root: string;
  readonly copy: string;
}

/** A dropped user must be shown the copies as its own, like the workspace itself. */
async function roomOver({ user, paths, roots }: ThrowAwayWish, copies: readonly Copy[]): Promise<Room> {
  if (!user) return { namespaces: {}, pathOf: (path) => path, release: () => undefined };
  const others = paths.map(({ path }) => path).filter((path) => !roots.includes(path));
  const kept = new KeptMountRoom(user, mappedPaths([...others, ...copies.map(({ copy }) => copy)], user));
  const room = await kept.lease();
  kept.retire();
  return room;
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

/** Also when the command took our own rights away from a directory. */
export async function removeCopies(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    const options = { env: {}, stdio: "ignore" } as const;
    await endOf(spawn(rootProgram("/usr/bin/chmod"), ["-R", "u+rwX", "--", path], options));
    await rm(path, { recursive: true, force: true });
  }
}
