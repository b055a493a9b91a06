import { didOfKey, toBase64 } from "../crypto/index.ts";
import type { Advisory, Fault } from "../verify/index.ts";
import { notProved, type OpenHints } from "./limitations.ts";
import type { RecordedRotation } from "./rotation.ts";
import type { RowMismatch } from "./row-check.ts";
import type { Trust } from "./trust.ts";
import type { Verification } from "./verify-record.ts";

/** What came of verifying a record. */
export interface RecordVerdict {
  readonly whole: boolean;
  /** Receipts read. */
  readonly count: number;
  readonly chains: number;
  /** The first thing wrong; what comes after it wasn't looked at. `index` counts from 0, `seq` from 1. */
  readonly fault: (Fault & { readonly seq: number; readonly chainId?: string; readonly sequence?: number }) | null;
  readonly issuer: string | null;
  /** did:key of all that signed. */
  readonly keys: readonly string[];
  /** Who vouches for the key: whoever asks, what is remembered here, or nobody. */
  readonly trusted: "given" | "local" | null;
  /** The last receipt: what to write down for the next time. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  readonly tree: { readonly size: number; readonly root: string } | null;
  readonly witnessedSize: number;
  readonly advisories: readonly Advisory[];
  readonly responsesUnchecked: number;
  readonly rowMismatch: RowMismatch;
  /** Indexes of the receipts that say that something was lost before them. */
  readonly epochs: readonly number[];
  /** Where the key changed, to which one, and whether that had been committed to. */
  readonly rotations: readonly RecordedRotation[];
  /** A bundle with some receipts of a ledger: each is proved, not that none was left out. */
  readonly selection: boolean;
  readonly unplaced: number;
  readonly notProved: readonly string[];
}

export interface VouchedFor {
  /** By whoever asks: where that isn't empty, any other key is a fault. */
  readonly trust: Trust;
  /** By what is remembered here. */
  readonly local: Trust;
  readonly hasExpectedHead: boolean;
  readonly selection: boolean;
  readonly hints: OpenHints;
}

export function judgeVerification(
  found: Verification,
  { trust, local, hasExpectedHead, selection, hints }: VouchedFor,
): RecordVerdict {
  const trusted = whoTrusts(found, trust, local);
  const untrusted = trusted === null && !trust.isEmpty ? untrustedFault(found) : null;
  const held = found.fault ?? untrusted;
  const fault = held ?? found.lesserFault;
  const { count, chains, place, head, issuer, tree, witnessedSize, advisories, responsesUnchecked, rowMismatch } =
    found;
  const { epochs, rotations, unplaced } = found;
  return {
    whole: fault === null,
    ...{ count, chains },
    fault: fault === null ? null : { ...fault, seq: fault.index + 1, ...place },
    issuer,
    keys: found.signers.keys.map(didOfKey),
    trusted: held === null ? trusted : null,
    head,
    tree: tree === null ? null : { size: tree.size, root: toBase64(tree.root) },
    ...{ witnessedSize, advisories, responsesUnchecked, rowMismatch, epochs, rotations, selection, unplaced },
    notProved: notProved(
      {
        ...{ trusted: trusted !== null, count, witnessedSize, hasExpectedHead, responsesUnchecked, rotations },
        ...{ isLedger: selection || tree?.size === count, selection, unplaced },
        ...{ treeSize: tree?.size ?? 0, coveredSize: found.coveredSize },
      },
      hints,
    ),
  };
}

function whoTrusts({ signers }: Verification, trust: Trust, local: Trust): RecordVerdict["trusted"] {
  if (!trust.isEmpty) return signers.areTrusted(trust) ? "given" : null;
  return !local.isEmpty && signers.areTrusted(local) ? "local" : null;
}

/** Consistent, and by somebody else: to whoever said whom to trust, that is as broken as it gets. */
function untrustedFault({ signers }: Verification): Fault {
  const names = signers.keys.slice(0, 3).map(didOfKey).join(", ");
  return {
    code: "INVALID_SIGNATURE",
    index: 0,
    detail: `signed with ${names || "a key"}, which isn't one that is trusted`,
  };
}
