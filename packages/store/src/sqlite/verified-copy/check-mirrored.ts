import {
  type Checkpoint,
  didUrlOfKey,
  type Examined,
  examineReceipt,
  followRotation,
  type KeyInForce,
  openCheckpoint,
  type ReceiptFacts,
  type ReceiptHead,
} from "@countersign/receipts";
import { nodeCrypto, pooledNodeCrypto } from "@countersign/receipts/node";
import type { LedgerRow } from "../../ledger/index.ts";
import type { Statements } from "../base/index.ts";
import { entryIn, headOf, invalid, type SealedReceipt } from "../ledger/index.ts";

const crypto = nodeCrypto();
const pool = pooledNodeCrypto();

/** Where the mirror stands. */
export interface Standing {
  readonly seq: number;
  /** Undefined: nothing is mirrored yet. */
  readonly root: string | undefined;
  readonly key: KeyInForce;
  /** The did:key of the ledger's first key, which stands on every receipt. */
  readonly issuer: string;
}

/** A receipt that may go into the mirror. */
export interface Checked {
  readonly row: LedgerRow;
  readonly sealed: SealedReceipt;
  /** What it says of all before it; the tree itself is compared where it grows. */
  readonly checkpoint: { readonly note: string; readonly said: Checkpoint } | undefined;
}

interface Links {
  readonly sql: Statements;
  readonly heads: Map<string, ReceiptHead | null>;
  standing: Standing;
}

/**
 * Holds what the recorder sends against what is here already: the next of the ledger, the next of its chain, signed by the key in force, with
 * whatever it says of the tree signed too. Rejects with RECORDER_INVALID at the first that isn't.
 */
export async function checkMirrored(
  rows: readonly LedgerRow[],
  { sql, standing }: { readonly sql: Statements; readonly standing: Standing },
): Promise<{ readonly checked: readonly Checked[]; readonly standing: Standing }> {
  const links: Links = { sql, standing, heads: new Map() };
  const checked = await Promise.all(
    rows.map((row) => {
      const examined = examine(row);
      const { key } = links.standing;
      const sealed = link(row, examined.facts, links);
      return sign(row, { examined, key, sealed });
    }),
  );
  return { checked, standing: links.standing };
}

function examine(row: LedgerRow): Examined {
  const examined = examineReceipt(Buffer.from(row.raw), crypto, "canonical");
  if (examined.kind === "malformed") throw invalid(row, `is no receipt (${examined.reason} ${examined.at})`);
  if (examined.facts.newer !== null) throw invalid(row, `is of a newer version (${examined.facts.newer})`);
  if (!examined.facts.isOurs) throw invalid(row, "isn't of this format");
  // What isn't a frame's is read as the hub's own word, and by these columns: they must be what is signed.
  if (row.emitter === null) entryIn(row, examined.facts.hash);
  if ((examined.facts.rotation !== null) !== (row.type === "key-rotated" && row.emitter === null))
    throw invalid(row, "isn't what its row says");
  return examined;
}

/** Advances the links. */
function link(row: LedgerRow, facts: ReceiptFacts, links: Links): SealedReceipt {
  const { standing } = links;
  const { chainId, sequence, hash } = facts;
  if (row.seq !== standing.seq + 1) throw invalid(row, `comes where ${standing.seq + 1} belongs`);
  if (facts.issuerId !== standing.issuer) throw invalid(row, "is of another ledger");
  if (facts.verificationMethod !== didUrlOfKey(standing.key.publicKey))
    throw invalid(row, "names another key than the one in force");
  const before = knownHead(chainId, links);
  if (sequence !== (before?.sequence ?? 0) + 1 || facts.previous !== (before?.hash ?? null))
    throw invalid(row, `doesn't follow in its chain, ${chainId}`);
  const root = standing.root ?? chainId;
  if (before === null) refuseLoose(row, facts, standing.root === undefined ? undefined : knownHead(root, links));
  links.heads.set(chainId, { sequence, hash });
  links.standing = { ...standing, seq: row.seq, root, key: nextKey(row, facts, { ...standing, root }) };
  return { chainId, next: { sequence, hash }, raw: row.raw };
}

/** A chain begins at the root's tip; the root itself nowhere. */
function refuseLoose(row: LedgerRow, { parentChainRef }: ReceiptFacts, tip: ReceiptHead | null | undefined): void {
  const fits =
    tip === undefined
      ? parentChainRef === null
      : parentChainRef?.sequence === tip?.sequence && parentChainRef?.receipt_hash === tip?.hash;
  if (!fits) throw invalid(row, "begins a chain that isn't anchored");
}

/** Only the ledger's first receipt and rotations on its root say who may sign next. */
function nextKey(row: LedgerRow, { rotation, nextKey, chainId }: ReceiptFacts, { key, root }: Standing): KeyInForce {
  if (rotation === null) return row.seq === 1 ? { publicKey: key.publicKey, nextKey } : key;
  const publicKey = chainId === root ? followRotation(rotation, key, crypto) : null;
  if (publicKey === null || (key.nextKey !== null && nextKey === null))
    throw invalid(row, "hands over to a key that wasn't committed to");
  return { publicKey, nextKey };
}

interface ToSign {
  readonly examined: Examined;
  readonly key: KeyInForce;
  readonly sealed: SealedReceipt;
}

async function sign(row: LedgerRow, { examined, key, sealed }: ToSign): Promise<Checked> {
  const { message, signature, facts } = examined;
  const { publicKey } = key;
  if (!(await pool.verify({ publicKey, message, signature }))) throw invalid(row, "isn't signed by the key in force");
  if (facts.checkpoint === null) return { row, sealed, checkpoint: undefined };
  const opened = await openCheckpoint(facts.checkpoint, publicKey, pool);
  if (opened.kind === "refused") throw invalid(row, `carries a checkpoint that isn't one (${opened.fault})`);
  return { row, sealed, checkpoint: { note: facts.checkpoint, said: opened.checkpoint } };
}

function knownHead(chainId: string, { sql, heads }: Links): ReceiptHead | null {
  const known = heads.get(chainId);
  if (known !== undefined) return known;
  const head = headOf(sql, chainId);
  heads.set(chainId, head);
  return head;
}
