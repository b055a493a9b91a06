import type { JailKind } from "@countersign/jail";
import type { World } from "./world.ts";

/** One thing that nothing in a jail may manage. */
export interface Attack {
  readonly name: string;
  /** For bash, with the world's variables set. Ends with 0 when it got what it wanted, unless `marks` tells. */
  readonly script: string;
  /** Outside of the jail, a file that says `escaped` when it worked, whatever the script believes. */
  marks?(world: World): string | undefined;
  /** Where it must be refused; everywhere when missing. */
  readonly kinds?: readonly JailKind[];
  /** Who manages it without a jail, where it is then tried; everyone when missing. `nobody`: it would do harm, or prove nothing. */
  readonly unjailed?: "root" | "nobody";
}

export const KINDS = ["read-only", "read-only+network", "workspace", "open"] as const;
export const READ_ONLY: readonly JailKind[] = ["read-only", "read-only+network"];
/** In an open jail the rest of the machine is as writable as to its user. */
export const NOT_OPEN: readonly JailKind[] = [...READ_ONLY, "workspace"];
