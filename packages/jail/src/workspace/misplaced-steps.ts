import { join, relative } from "node:path";
import { isInside, type MountLine } from "@countersign/core/host/fs";
import type { PlaceStep } from "../plan/index.ts";

export interface StepLook {
  /** Not taken, as long as the jail is being built. */
  readonly missing: readonly PlaceStep[];
  /** Something else stands there. */
  readonly wrong: readonly PlaceStep[];
}

export interface JailMounts {
  /** Asked for only where the roots don't tell. */
  readonly host: () => readonly MountLine[];
  readonly jail: readonly MountLine[];
  /** What is shown whole, and can't have been swapped: the rest is measured by it. */
  readonly roots: readonly string[];
}

/**
 * Which steps a jail hasn't taken where it should have, from its own list of mounts. Another run in the same workspace may
 * have swapped a directory for a link in between, so that bwrap bound what that leads to: someone's home, writable.
 */
export function misplacedSteps(steps: readonly PlaceStep[], { host, jail, roots }: JailMounts): StepLook {
  // Of several at one place the last is on top.
  const tops = new Map(jail.map((mount) => [mount.point, mount]));
  const shown = roots.flatMap((root) => tops.get(root) ?? []);
  const isWrong = ({ do: kind, path }: PlaceStep) => {
    const top = tops.get(path);
    if (top === undefined || kind === "hide" || kind === "mask") return false;
    // A preview's workspace is another one; mounts inside a workspace are the host's.
    const place = `${top.device} ${top.root}`;
    return placeOf(path, shown) !== place && placeOf(path, host()) !== place;
  };
  return { missing: steps.filter(({ path }) => !tops.has(path)), wrong: steps.filter(isWrong) };
}

/** Which part of which file system stands at a path that has no links in it, by the mount around it. */
function placeOf(path: string, mounts: readonly MountLine[]): string | undefined {
  let around: MountLine | undefined;
  for (const mount of mounts) {
    if (isInside(path, mount.point) && mount.point.length >= (around?.point.length ?? 0)) around = mount;
  }
  return around && `${around.device} ${join(around.root, relative(around.point, path))}`;
}
