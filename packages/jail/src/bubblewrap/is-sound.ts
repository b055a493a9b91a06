import { readFileSync } from "node:fs";
import { parseMountInfo } from "@countersign/core/host/fs";
import type { JailView } from "../plan/index.ts";
import { misplacedSteps } from "../workspace/index.ts";

type SoundFacts = Pick<JailView, "roots" | "shown" | "steps">;

/**
 * Whether a jail that waits before its command shows what its view says; undefined while it is being built. `replaced` are
 * paths at which something of ours was mounted last.
 */
export function isSound(view: SoundFacts, replaced: readonly string[], pid: number): boolean | undefined {
  if (!isIdle(pid)) return undefined;
  const roots = [...view.roots, ...view.shown.map(({ path }) => path)];
  const jail = mountsOf(`${pid}`);
  const points = new Set(jail.map(({ point }) => point));
  // Mounted elsewhere, where a link stood on the way.
  if (!view.roots.every((root) => points.has(root))) return undefined;
  const mounts = { host: () => mountsOf("self"), jail, roots };
  const steps = view.steps.filter(({ path }) => !replaced.includes(path));
  const { missing, wrong } = misplacedSteps(steps, mounts);
  if (wrong.length > 0) return false;
  return missing.length === 0 || undefined;
}

/** Whether it sleeps, as it does at the gate. To list its mounts while it makes them would hold them up, and it up. */
function isIdle(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat[stat.lastIndexOf(")") + 2] === "S";
  } catch {
    // Gone, or not ours to see: its mounts tell.
    return true;
  }
}

function mountsOf(process: string) {
  try {
    return parseMountInfo(readFileSync(`/proc/${process}/mountinfo`));
  } catch (cause) {
    // It has ended. EINVAL: it is ending, and has no mounts any more.
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH" || code === "EINVAL") return [];
    throw cause;
  }
}
