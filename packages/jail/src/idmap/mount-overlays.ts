import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mountOverlay, mountScratch } from "@countersign/native";
import { JailError } from "../base/index.ts";
import type { OverlayRequest } from "./idmap-request.ts";
import { overlayPlaces, scratchOf } from "./overlay-places.ts";

/**
 * Lays something writable over the nth path of a namespace, for each that was asked for. What is written goes to one scratch of
 * bounded size, which is memory and gone with the namespace.
 */
export function mountOverlays(directory: string, over: OverlayRequest, who: { asUser: boolean }): void {
  try {
    const scratch = scratchOf(directory);
    mkdirSync(scratch);
    mountScratch(scratch, `mode=0755,size=${over.bytes},nr_inodes=${over.files}`);
    refuseHalfWay(join(scratch, "try"), who);
    for (const n of over.paths) lay(join(directory, `${n}`), overlayPlaces(directory, n), who);
  } catch (cause) {
    throw new JailError("OVERLAY_UNAVAILABLE", `Nothing can be laid over a directory here (${String(cause)})`, {
      cause,
    });
  }
}

function lay(lower: string, places: ReturnType<typeof overlayPlaces>, { asUser }: { asUser: boolean }): void {
  const { upper, work, merged } = places;
  for (const path of Object.values(places)) mkdirSync(path, { recursive: true });
  // What is laid over a directory stands for the directory itself: its owner and mode.
  const { uid, gid, mode } = statSync(lower);
  chownSync(upper, uid, gid);
  chmodSync(upper, mode & 0o7777);
  // Without redirects each change is where its name says; a renamed directory is EXDEV, and programs copy it instead.
  const plain = ["index=off", "metacopy=off", "xino=off", ...(asUser ? ["userxattr"] : ["redirect_dir=nofollow"])];
  mountOverlay(merged, [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`, ...plain].join(","));
}

/**
 * Some kernels mount it, and then fail where something must be marked in the upper directory: a directory that was removed
 * and made again.
 */
function refuseHalfWay(at: string, who: { asUser: boolean }): void {
  const [lower, places] = [join(at, "lower"), overlayPlaces(at, 0)];
  mkdirSync(join(lower, "directory"), { recursive: true });
  writeFileSync(join(lower, "directory/file"), "");
  lay(lower, places, who);
  rmSync(join(places.merged, "directory"), { recursive: true });
  mkdirSync(join(places.merged, "directory"));
}
