import { isInside } from "@countersign/core/host/fs";
import { type CodeSnapshot, JailError } from "../base/index.ts";
import { type JailView, TEMPORARY } from "../plan/index.ts";
import type { TerminalRequest } from "../process/index.ts";
import type { Session } from "./session-view.ts";
import type { TmpBindPath } from "./tmp-bind-path.ts";

/**
 * A jail that is made again and again for the same inhabitant, as a sandbox is: its workspace is its own, with nothing in it held or hidden, and its
 * home; what it leaves in `/tmp` is there the next time.
 */
export interface SessionJailOptions {
  /** What it sees as /tmp: a directory of ours. */
  readonly temporary: string;
  /** Where its workspace is in there. */
  readonly way?: TmpBindPath | undefined;
  /** What it chose itself: set inside, and not for the programs that build the jail, which `LD_PRELOAD` would get into. */
  readonly env: Readonly<Record<string, string>>;
  readonly terminal?: TerminalRequest | undefined;
  /** Its workspace is there to be read: only /tmp can be written. */
  readonly readOnly?: boolean | undefined;
  /** By which numbers it is called inside, where not by its own. Outside it is who it is. */
  readonly ids?: Session["ids"] | undefined;
  /** What it sees, where that isn't just its workspace. */
  readonly session?: Session | undefined;
}

export function sessionJailView(view: JailView, { temporary, way, readOnly }: SessionJailOptions): JailView {
  const [home = view.home] = view.roots;
  // Its own, and so nothing to put a mount into: what stands there is what its inhabitant wants.
  const isIts = ({ path }: { path: string }) =>
    isInside(path, "/tmp") && !view.roots.some((root) => isInside(path, root));
  return {
    ...view,
    home,
    scratch: view.scratch.filter((path) => TEMPORARY.includes(path)),
    shown: [
      { path: "/tmp", source: temporary, writable: true, own: true },
      ...(way?.source === undefined ? [] : [{ path: `/tmp/${way.name}`, source: way.source, writable: false }]),
      ...view.shown.filter((one) => !isIts(one)),
    ],
    steps: [
      ...view.steps.filter((step) => !isIts(step)),
      ...(readOnly ? view.roots.map((path) => ({ do: "read-only", path }) as const) : []),
    ],
  };
}

/** More of them than bwrap takes arguments is told by it. */
const MAX_VARIABLES = 2_000;

/** Arguments that bwrap reads from a descriptor: on its command line every user of the machine could read them. */
export function settingsOf({ env }: SessionJailOptions): CodeSnapshot {
  const entries = Object.entries(env);
  if (entries.length > MAX_VARIABLES)
    throw new JailError("ENV_REFUSED", `There are more than ${MAX_VARIABLES} variables`);
  for (const [name, value] of entries) {
    if (!/^[^=\0]+$/.test(name) || value.includes("\0"))
      throw new JailError("ENV_REFUSED", `${JSON.stringify(name)} can't be set in an environment`);
  }
  const words = entries.flatMap(([name, value]) => ["--setenv", name, value]);
  return { path: "", mode: 0, content: Buffer.from(words.map((word) => `${word}\0`).join("")) };
}
