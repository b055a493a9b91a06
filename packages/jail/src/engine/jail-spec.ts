import type { CodeSnapshot } from "../base/index.ts";
import type { HeldCode } from "../held/index.ts";
import type { Openings } from "../opened/index.ts";
import type { JailPlan } from "../plan/index.ts";
import type { TerminalRequest } from "../process/index.ts";

/** Credentials of the hub's user that this run may use, in addition to what every jail can see. */
export interface LentCredentials {
  /** Files, directories and sockets that exist, real paths. */
  readonly paths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * One command, and what it may read, write, reach and be lent. How the kernel is made to hold it to that (mounts, namespaces,
 * filters) is the engine's own: a spec says nothing of it.
 */
export interface JailSpec {
  /** What it may read, change and reach, as predicted from the command. */
  readonly plan: JailPlan;
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  /** The workspace: directories, real paths. */
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly credentials: LentCredentials;
  /** Code that must run as it was hashed, whatever happens to the files meanwhile. */
  readonly code: readonly CodeSnapshot[];
  /** By which names the command finds its code, and code of which there is no snapshot. A change of it ends the run. */
  readonly heldCode?: readonly HeldCode[] | undefined;
  /** Files outside of the workspace that it may write to, see `planOpenings`. */
  readonly opens?: Openings["opens"] | undefined;
  /** The proposal's key, under which a later start reports what the run left. */
  readonly key?: string | undefined;
  /** Discards what it writes, and lists that. Building it stops if the signal is aborted. */
  readonly discards?: { readonly cancelled: AbortSignal } | undefined;
  /** Somebody claimed the run: its shell reports its last directory and variables, and it may have a terminal. */
  readonly attached?: { readonly terminal?: TerminalRequest | undefined } | undefined;
}
