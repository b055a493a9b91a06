import type { Advisory, Fault } from "@countersign/receipts";
import type { Rotation } from "./rotation.ts";
import type { RowMismatch } from "./row-check.ts";
import type { SourceKind } from "./source.ts";

/** What `receipts verify --json` prints. */
export interface Verdict {
  readonly whole: boolean;
  readonly source: { readonly kind: SourceKind; readonly path: string; readonly what: string };
  /** Receipts read. */
  readonly count: number;
  readonly chains: number;
  /** The first thing wrong; what comes after it wasn't looked at. `index` counts from 0, `seq` from 1. */
  readonly fault: (Fault & { readonly seq: number; readonly chainId?: string; readonly sequence?: number }) | null;
  readonly issuer: string | null;
  /** did:key of all that signed. */
  readonly keys: readonly string[];
  /** Who vouches for the key: `--trust`, this home's own key, or nobody. */
  readonly trusted: "given" | "local" | null;
  /** The last receipt: what to write down for `--expect-head`. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  readonly tree: { readonly size: number; readonly root: string } | null;
  readonly witnessedSize: number;
  readonly advisories: readonly Advisory[];
  readonly responsesUnchecked: number;
  readonly rowMismatch: RowMismatch;
  /** Indexes of the receipts that say that something was lost before them. */
  readonly epochs: readonly number[];
  /** Where the key changed, and to which one. */
  readonly rotations: readonly Rotation[];
  /** A bundle with some receipts of a ledger: each is proved, not that none was left out. */
  readonly selection: boolean;
  readonly unplaced: number;
  readonly notProved: readonly string[];
}
