import { join, relative } from "node:path";
import { isInside } from "../../machine/trusted-path.ts";
import type { PlaceStep } from "../jail-view.ts";
import type { MountLine } from "./mount-info.ts";

/**
 * Steps that a jail didn't take where it should have, from its own list of mounts, before anything runs in it; undefined while
 * it is being built. Another run in the same workspace may have swapped a directory for a link in between, so that bwrap
 * bound what that leads to: someone's home, writable.
 */
export function misplacedSteps(
  steps: readonly PlaceStep[],
  { host, jail }: { host: readonly MountLine[]; jail: readonly MountLine[] },
): PlaceStep[] | undefined {
  if (jail.some(({ point }) => BUILDING.test(point))) return undefined;
  // Of several at one place the last is on top.
  const tops = new Map(jail.map((mount) => [mount.point, mount]));
  return steps.filter(({ do: kind, path }) => {
    const top = tops.get(path);
    if (top === undefined) return true;
    if (kind === "hide" || kind === "mask") return false;
    const { device, root } = placeOf(path, host);
    return top.device !== device || top.root !== root;
  });
}

/** bwrap's own names, until it has turned into the new root. */
const BUILDING = /^\/(newroot|oldroot)(\/|$)/;

/** Which part of which file system stands at a path of the host that has no links in it. */
function placeOf(path: string, host: readonly MountLine[]): Pick<MountLine, "device" | "root"> {
  let around: MountLine | undefined;
  for (const mount of host) {
    if (isInside(path, mount.point) && mount.point.length >= (around?.point.length ?? 0)) around = mount;
  }
  return { device: around?.device ?? "", root: around ? join(around.root, relative(around.point, path)) : "" };
}
