import { lstatSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isInside, mountsWithin } from "@countersign/core/host/fs";
import { JailError } from "../base/index.ts";
import { type FoundDirectory, LONGEST_PATH, resolveInside } from "../idmap/index.ts";
import { isReachableByAll } from "../plan/index.ts";
import type { BindRequest, SessionMount, SessionMounts, SessionRequest } from "./session-mount.ts";

export interface ArrangeFacts {
  /** All that is anybody's to give; real. */
  readonly workspace: string;
  /** What is seen as /tmp. */
  readonly temporary: string;
  /** Trees of the machine that a jail shows nothing of. */
  readonly hidden: readonly string[];
}

/** Programs, settings and the kernel's own: what runs in a jail relies on them, and so do the programs that make it. */
const SYSTEM = "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /sbin /sys /usr".split(" ");
const IN_TEMPORARY = 1;

/**
 * What a session will see, and where. Looked at by name here, and opened without following a link when the namespace is made: what was swapped in between
 * is refused there. Throws JailError.
 */
export function arrangeMounts(wish: SessionRequest, facts: ArrangeFacts): SessionMounts {
  const binds = wish.binds.map((bind) => bound(bind, [facts.workspace, ...wish.allowed]));
  // As a stock execd does, one that isn't there is made.
  const { path: root, found } = within(wish.root, [facts.workspace], { make: true });
  // What is laid over a directory covers the mounts in it, too.
  if (wish.mode === "overlay" && mountsWithin(root).length > 0)
    throw new JailError("OVERLAY_UNAVAILABLE", `Nothing can be laid over ${root}: something is mounted in it`);
  const own: SessionMounts = [
    { path: root, source: root, mode: wish.mode, found },
    { path: "/tmp", source: facts.temporary, mode: "rw" },
  ];
  const all = [...own, ...binds] as const;
  for (const [at, bind] of binds.entries()) refuseCovering(bind, [...own, ...binds.slice(0, at)]);
  const arranged = all.map((mount, n) => (n < own.length ? mount : withAround(mount, all, facts.workspace)));
  for (const mount of arranged.slice(own.length)) refusePlace(mount, { root, ...facts });
  return arranged as unknown as SessionMounts;
}

function bound({ source, path, readOnly }: BindRequest, given: readonly string[]): SessionMount {
  const { path: real, found } = within(source, given, { make: false });
  return { path: path === undefined ? real : placeOf(path), source: real, mode: readOnly ? "ro" : "rw", found };
}

interface Within {
  readonly path: string;
  readonly found: FoundDirectory;
}

/** What is outside is all the same, whether or not it is there: that isn't anybody's to know. */
function within(path: string, given: readonly string[], wish: { readonly make: boolean }): Within {
  const resolved = resolveInside(path, given, wish);
  switch (resolved.kind) {
    case "directory": {
      const { path: real, identity, owner } = resolved;
      return { path: real, found: { identity, owner } };
    }
    case "outside":
      throw new JailError("MOUNT_OUTSIDE", `${path} is outside of what this execd was given: ${given.join(", ")}`);
    case "none":
      throw refused(
        `${path} can't be opened as a directory (${resolved.why}), and only directories can be given to a session`,
      );
  }
}

function placeOf(path: string): string {
  const plain = path.length > 1 ? path.replace(/\/+$/, "") : path;
  if (plain.startsWith("/") && resolve(plain) === plain && !plain.includes("\0") && plain.length <= LONGEST_PATH)
    return plain;
  throw refused(`${JSON.stringify(path.slice(0, 200))} isn't an absolute path without . and ..`);
}

/** Of two at one place one couldn't be seen; what is around the workspace would be in its place. */
function refuseCovering({ path }: SessionMount, before: readonly SessionMount[]): void {
  const [root, temporary] = before;
  const covered = [root, temporary].find((one) => one && isInside(one.path, path));
  if (covered) throw refused(`${path} would cover ${covered.path}`);
  if (before.some((one) => one.path === path)) throw refused(`${path} is asked for twice`);
}

function withAround(mount: SessionMount, all: readonly SessionMount[], workspace: string): SessionMount {
  let inside: number | undefined;
  for (const [n, { path }] of all.entries()) {
    const isAround = path !== mount.path && isInside(mount.path, path);
    if (isAround && path.length > (all[inside ?? -1]?.path.length ?? 0)) inside = n;
  }
  // Of a workspace in /tmp, the way there is covered.
  const isOnWay = all[inside ?? -1]?.path === "/tmp" && isInside(mount.path, workspace);
  return inside === undefined || isOnWay ? mount : { ...mount, inside };
}

/** One that stands by itself is where the machine has a directory that is nobody's to change, or has been covered with nothing. */
function refusePlace(
  { path, inside }: SessionMount,
  { root, workspace, hidden }: ArrangeFacts & { root: string },
): void {
  const isOnWay = isInside(workspace, "/tmp") && path.split("/")[2] === workspace.split("/")[2];
  if (inside === IN_TEMPORARY && isOnWay) throw refused(`${path} is on the way to the workspace`);
  if (inside !== undefined || (isInside(path, workspace) && root !== workspace)) return;
  const kept = [...SYSTEM, ...hidden].find((tree) => isInside(path, tree) || isInside(tree, path));
  if (kept !== undefined) throw refused(`${path} can't be a place for it: ${kept} is the jail's own`);
  if (isInside(workspace, path)) throw refused(`${path} would cover ${workspace}`);
  // What not everybody may look at isn't told apart from what isn't there.
  const isThere = isReachableByAll(path) && lstatSync(path).isDirectory() && realpathSync(path) === path;
  if (!isThere)
    throw refused(
      `${path} isn't a directory of this machine, and none can be made there; take one in ${root} or in /tmp`,
    );
}

function refused(why: string): JailError {
  return new JailError("MOUNT_REFUSED", why);
}
