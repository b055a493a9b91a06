import type { MappedPath } from "../base/index.ts";
import type { IdmapRequest, MountNamespace } from "../idmap/index.ts";

/** What a preview's sandbox is made of. */
export interface DiscardRequest {
  /** The dropped user of a root hub. */
  readonly user: IdmapRequest["user"];
  /** What must be reachable in it; the roots are among them. */
  readonly paths: readonly MappedPath[];
  readonly roots: readonly string[];
  /** What may be written. */
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** One root, as it is and as the run left it. */
export interface Layer {
  /** Where it stands on the host. */
  readonly root: string;
  /** By which this process reaches how it would look. */
  readonly after: string;
  /** The same for what the kernel says was touched; anything may have been where there's no such directory. */
  readonly upper?: string;
  readonly copied?: Copied;
}

/** When and what of a root was copied. */
export interface Copied {
  /** By the file system's own clock: what wasn't changed since is as it was copied. */
  readonly sinceNs: bigint;
  readonly leftOut: ReadonlySet<string>;
}

/** A sandbox in which whatever is written to the roots is thrown away. */
export interface DiscardSandbox extends MountNamespace {
  readonly how: "overlay" | "copy";
  /** Until it is released, and once nothing of the run is alive any more. */
  layers(): readonly Layer[];
  /** What there is too little of, if so. */
  fullness(): string | undefined;
  /** Why it must end now, if so: it has written more than it may, where nothing else keeps it from that. */
  outgrown(): Promise<string | undefined>;
  /** Nothing is left of it afterwards. */
  release(): void | Promise<void>;
}

/** Names take space too: each at most this much of what may be written. */
const BYTES_PER_FILE = 1_024;

export function filesFor(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_FILE);
}
