import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "@countersign/core/host/fs";

/**
 * How a workspace in `/tmp` is come to in a jail whose `/tmp` is its inhabitant's. Were the directories on the way its inhabitant's too, it could put a
 * link in their place, and bwrap would make what is missing wherever that leads. So the first of them is there before anybody is, and has a mount on it in
 * every jail: it can be neither renamed nor removed.
 */
export interface TmpBindPath {
  /** The first directory's. */
  readonly name: string;
  /** What is mounted there: the rest of the way, ours. Undefined where the workspace itself is. */
  readonly source?: string;
}

/** Undefined where the workspace is elsewhere. `own` is where the rest of the way is made. */
export function makeTmpBindPath(workspace: string, temporary: string, own: string): TmpBindPath | undefined {
  const [name, ...rest] = isInside(workspace, "/tmp") ? workspace.split("/").slice(2) : [];
  if (name === undefined) return undefined;
  mkdirSync(join(temporary, name), { recursive: true, mode: 0o700 });
  if (rest.length === 0) return { name };
  makeWayTo(workspace, own);
  return { name, source: own };
}

/** One more directory that the same way leads to. */
export function makeWayTo(path: string, own: string): void {
  mkdirSync(join(own, ...path.split("/").slice(3)), { recursive: true, mode: 0o700 });
}
