import {
  type ChainPlace,
  type ChainRef,
  createReceipt,
  describeRotation,
  didOfKey,
  digestOf,
  leafHash,
  type Receipt,
  type ReceiptDraft,
  type ReceiptHead,
  type Sha256Text,
  signCheckpointNow,
  TreeFrontier,
  type TreeHead,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { uuidv7 } from "uuidv7";
import {
  draftOf,
  type EmittedDraft,
  type FrameRecord,
  type LedgerDraft,
  type LedgerEntry,
  type LedgerHead,
  type LedgerKeys,
  originOf,
  type ReceiptSetting,
  type Recorded,
  receiptOf,
  StoreError,
  withoutNulls,
} from "../../ledger/index.ts";
import {
  asInvalid,
  insertInto,
  ms,
  type PlacedReceipt,
  placeRow,
  type RawReceipt,
  type ReceiptRow,
  rowOf,
  type Statements,
  text,
  textOrNull,
} from "../base/index.ts";
import { toLedgerEntry } from "../rows/index.ts";
import { SandboxCounts } from "../sandboxes/index.ts";
import { earlierParts } from "./keys-on-record.ts";
import { addSpans } from "./receipt-spans.ts";
import { nodeId, treeNodeIn } from "./tree-node.ts";

const crypto = nodeCrypto();

const INTO_RECEIPT = insertInto(
  "receipt (seq, chain_id, chain_seq, hash, raw, type, session_id, proposal_key, at_ms, emitter, idempotency_key)",
  // What comes as bytes is text all the same.
  "(?, ?, ?, ?, CAST(? AS TEXT), ?, ?, ?, ?, ?, ?)",
);
const INTO_TREE = insertInto("tree_node (id, hash)", "(?, ?)");

/** What a refused commit is taken back to. */
export interface LedgerMark {
  readonly seq: number;
  readonly changes: number;
  readonly leaves: number;
  readonly keys: LedgerKeys | undefined;
}

/** The tree's right edge, of some size; it can't be another for the same size, since nothing is ever taken out of it. */
export interface TreeEdge {
  known?: { readonly size: number; readonly peaks: readonly Uint8Array[] };
}

/**
 * Makes receipts inside one transaction: signed, linked to the head of their chain, and leaves of one tree. Everything but
 * the tree's edge, which is remembered when it is on disk, is read from the tables again in each, so that it can't be wrong after a rollback.
 */
export class LedgerTransaction {
  readonly #sql: Statements;
  #signs: LedgerKeys | undefined;
  readonly #heads = new Map<string, ReceiptHead | null>();
  readonly #changes: { readonly chainId: string; readonly hash: Sha256Text }[] = [];
  readonly #sandboxes = new SandboxCounts();
  readonly #sizeBefore: number;
  /** How many of the changes are in the tree. */
  #leaves = 0;
  #tree: TreeFrontier | undefined;
  readonly #edge: TreeEdge;
  #seq: number;
  #origin: Origin | undefined;

  /** Without keys it takes only what was signed elsewhere. */
  constructor(sql: Statements, keys: LedgerKeys | undefined, edge: TreeEdge = {}) {
    this.#sql = sql;
    this.#edge = edge;
    this.#signs = keys;
    this.#sizeBefore = Number(sql.one("SELECT coalesce(max(seq), 0) AS size FROM receipt")?.size);
    this.#seq = this.#sizeBefore;
  }

  /** `key`: the receipt that stands under it already is the answer, and nothing is added. */
  append(draft: LedgerDraft, key: string | null = null): LedgerEntry {
    const first = key === null ? undefined : this.#sql.one(OF_DRAFT, text(key));
    if (first) return toLedgerEntry(first);
    const origin = this.#originAt(draft.atMs);
    const { sessionId } = draft;
    if (sessionId === null) return this.#add(draft, origin.root, { key });
    const name = `session:${text(sessionId)}`;
    return this.#add(draft, chainIdOf(origin, this.#keys, name), { ...this.#anchor(name, origin), key });
  }

  /** What a frame says, where that isn't on record under its key already. */
  record(frame: FrameRecord): Recorded {
    const known = firstUnder(this.#sql, frame);
    if (known) return { kind: "repeated", ...known };
    const origin = this.#originAt(frame.atMs);
    const name = text(frame.chain);
    const chainId = chainIdOf(origin, this.#keys, name);
    const first = this.#anchor(name, origin);
    if (first.parentChainRef && !first.continues && chainsBegun(this.#sql, frame) >= frame.chainsPerDay)
      return { kind: "refused", refusal: "TOO_MANY_CHAINS" };
    for (const receipt of frame.receipts) {
      const setting = { issuer: origin.issuer, ...(receipt === frame.receipts[0] ? first : {}) };
      const sealed = this.#seal(() => emittedReceipt(draftOf(receipt), setting), {
        chainId,
        head: this.#headOf(chainId),
      });
      this.#insertOwn(sealed, rowOf(frame, receipt));
    }
    return { kind: "recorded", seq: this.#seq, hash: (this.#headOf(chainId) as ReceiptHead).hash };
  }

  /** What was linked and signed before, to chains that nothing else goes to. Returns the number of the receipt before them. */
  insertSealed(placed: readonly PlacedReceipt[], raws: readonly RawReceipt[]): number {
    const before = this.#seq;
    this.#insert(placed, raws);
    return before;
  }

  /** The old key signs who follows it; from here on, everything is signed with the new one. */
  rotate(to: LedgerKeys, { atMs, body }: Pick<LedgerDraft, "atMs" | "body">): LedgerEntry {
    const origin = this.#originAt(atMs);
    const [oldKey, newKey] = [this.#keys.signer.publicKey, to.signer.publicKey];
    const keyRotation = describeRotation({ oldKey, newKey }, crypto);
    const draft = { type: "key-rotated", sessionId: null, proposalKey: null, atMs, body } as const;
    const entry = this.#add(draft, origin.root, { nextKey: to.nextFingerprint, keyRotation });
    this.#signs = to;
    return entry;
  }

  /** What signs after this transaction, where that is kept. */
  get keys(): LedgerKeys | undefined {
    return this.#signs;
  }

  /** Of all so far. */
  treeHead(): TreeHead {
    const tree = this.#grow();
    return { size: tree.size, root: tree.root() };
  }

  mark(): LedgerMark {
    return { seq: this.#seq, changes: this.#changes.length, leaves: this.#leaves, keys: this.#signs };
  }

  /** After the tables were rolled back to the same point. */
  restore({ seq, changes, leaves, keys }: LedgerMark): void {
    this.#seq = seq;
    this.#signs = keys;
    if (leaves !== this.#leaves) this.#tree = undefined;
    this.#leaves = leaves;
    this.#sandboxes.forgetAfter(seq);
    for (const { chainId } of this.#changes.splice(changes)) this.#heads.delete(chainId);
    if (seq === 0) this.#origin = undefined;
  }

  checkpoint(atMs: number): LedgerEntry {
    const origin = this.#originAt(atMs);
    const head = this.treeHead();
    const identity = { installation: origin.installation, epoch: epochOf(this.#sql) };
    const checkpoint = signCheckpointNow({ origin: originOf(identity), ...head }, this.#keys.signer, crypto);
    this.#sql.run("INSERT INTO checkpoint (size, note, at_ms) VALUES (?, ?, ?)", head.size, checkpoint, ms(atMs));
    const body = { size: head.size, root: Buffer.from(head.root).toString("base64") };
    const draft = { type: "checkpoint", sessionId: null, proposalKey: null, atMs, body } as const;
    return this.#add(draft, origin.root, { checkpoint });
  }

  /** Before the commit: what isn't in the tree yet becomes a leaf of it, and what is counted is. */
  finish(): void {
    this.#sandboxes.write(this.#sql);
    if (this.#leaves < this.#changes.length) this.#grow();
    addSpans(this.#sql, { before: this.#sizeBefore, last: this.#seq });
  }

  /** After the commit. */
  rememberEdge(): void {
    if (this.#tree) this.#edge.known = { size: this.#tree.size, peaks: this.#tree.peaks };
  }

  #grow(): TreeFrontier {
    this.#tree ??= this.#loadTree(this.#sizeBefore + this.#leaves);
    const nodes: [number, Uint8Array][] = [];
    for (const { hash } of this.#changes.slice(this.#leaves)) {
      for (const { level, index, hash: node } of this.#tree.append(leafHash(digestOf(hash) as Uint8Array, crypto)))
        nodes.push([nodeId(level, index), node]);
    }
    this.#sql.insert(INTO_TREE, nodes);
    this.#leaves = this.#changes.length;
    return this.#tree;
  }

  #loadTree(size: number): TreeFrontier {
    const { known } = this.#edge;
    return known?.size === size ? new TreeFrontier(crypto, known) : loadFrontier(this.#sql, size);
  }

  /** Read when it is needed: what was signed elsewhere has it in it. */
  #originAt(atMs: number): Origin {
    this.#origin ??= beginningOf(this.#sql);
    return this.#origin ?? this.#open(atMs);
  }

  /** The first receipt of all: which installation this is, and who may sign after its first key. */
  #open(atMs: number): Origin {
    const installation = `countersign:${uuidv7()}`;
    this.#origin = { installation, root: `${installation}:root`, issuer: didOfKey(this.#keys.sealer.publicKey) };
    const draft = { type: "ledger-opened", sessionId: null, proposalKey: null, atMs, body: {} } as const;
    this.#add(draft, this.#origin.root, { nextKey: this.#keys.nextFingerprint });
    return this.#origin;
  }

  get #keys(): LedgerKeys {
    if (this.#signs === undefined)
      throw new StoreError("UNWRITABLE", "Only the recorder signs, and this is its mirror.");
    return this.#signs;
  }

  #add(draft: LedgerDraft, chainId: string, { key = null, ...first }: AddSetting): LedgerEntry {
    const issuer = (this.#origin as Origin).issuer;
    const sealed = this.#seal(() => receiptOf(draft, { issuer, ...first }), { chainId, head: this.#headOf(chainId) });
    const { sessionId, proposalKey, type, atMs } = draft;
    this.#insertOwn(sealed, { type, sessionId, proposalKey, atMs, emitter: null, idempotencyKey: key });
    return { seq: this.#seq, hash: sealed.next.hash, ...draft, body: withoutNulls(draft.body) as LedgerDraft["body"] };
  }

  #insertOwn({ chainId, next, raw }: SealedReceipt, row: ReceiptRow): void {
    this.#insert([placeRow(row, chainId, next)], [raw]);
  }

  #insert(receipts: readonly PlacedReceipt[], raws: readonly RawReceipt[]): void {
    const rows = receipts.map((placed, at) => {
      const { chainId, sequence, hash } = placed;
      const raw = raws[at] as RawReceipt;
      this.#seq += 1;
      this.#sandboxes.note(placed, raw, this.#seq);
      this.#changes.push({ chainId, hash });
      this.#heads.set(chainId, { sequence, hash });
      return [
        ...[this.#seq, chainId, sequence, hash, raw],
        ...[text(placed.type), textOrNull(placed.sessionId), textOrNull(placed.proposalKey), ms(placed.atMs)],
        ...[textOrNull(placed.emitter), textOrNull(placed.idempotencyKey)],
      ];
    });
    this.#sql.insert(INTO_RECEIPT, rows);
  }

  #seal(draft: () => ReceiptDraft, place: ChainPlace): SealedReceipt {
    try {
      const unsealed = createReceipt(draft(), place, crypto);
      const raw = Buffer.from(this.#keys.sealer.sealNow(unsealed)).toString();
      return { chainId: place.chainId, next: unsealed.head, raw };
    } catch (cause) {
      throw asInvalid(cause);
    }
  }

  #headOf(chainId: string): ReceiptHead | null {
    const known = this.#heads.get(chainId);
    if (known !== undefined) return known;
    const head = headOf(this.#sql, chainId);
    this.#heads.set(chainId, head);
    return head;
  }

  /** Where a chain begins, it begins at the root's tip; after a change of the key also where it ended under the one before. */
  #anchor(name: string, origin: Origin): Pick<ReceiptSetting, "parentChainRef" | "continues"> {
    if (this.#headOf(chainIdOf(origin, this.#keys, name)) !== null) return {};
    const parentChainRef = refTo(origin.root, this.#headOf(origin.root) as ReceiptHead);
    if (this.#keys.chainPart === "") return { parentChainRef };
    for (const part of earlierParts(this.#sql)) {
      const earlier = chainIdOf(origin, { chainPart: part }, name);
      const head = this.#headOf(earlier);
      if (head !== null) return { parentChainRef, continues: refTo(earlier, head) };
    }
    return { parentChainRef };
  }
}

function refTo(chainId: string, { sequence, hash }: ReceiptHead): ChainRef {
  return { chain_id: chainId, sequence, receipt_hash: hash };
}

/** A sub-chain, by what it is of: `session:<id>`, `uid:<n>`, `sandbox:<id>`. */
export function chainIdOf(
  { installation }: Pick<Origin, "installation">,
  { chainPart }: Pick<LedgerKeys, "chainPart">,
  name: string,
): string {
  return `${installation}:${chainPart}${name}`;
}

const OF_DRAFT = "SELECT * FROM receipt WHERE emitter IS NULL AND idempotency_key = ?";

type AddSetting = Omit<ReceiptSetting, "issuer"> & { readonly key?: string | null };

/** Signed, and in its place. */
export interface SealedReceipt {
  readonly chainId: string;
  readonly next: ReceiptHead;
  readonly raw: string;
}

export function emittedReceipt(draft: EmittedDraft, { issuer: id, ...first }: ReceiptSetting): ReceiptDraft {
  return { ...draft, issuer: { ...draft.issuer, id, runtime: { ...draft.issuer.runtime, ...first } } };
}

/** The last receipt of a chain; null: it hasn't begun. */
export function headOf(sql: Statements, chainId: string): ReceiptHead | null {
  const row = sql.one(
    "SELECT chain_seq, hash FROM receipt WHERE chain_id = ? ORDER BY chain_seq DESC LIMIT 1",
    text(chainId),
  );
  return row === undefined ? null : { sequence: Number(row.chain_seq), hash: String(row.hash) as Sha256Text };
}

/** The receipt that this emitter's key stands for already. */
export function firstUnder(sql: Statements, { emitter, idempotencyKey }: FrameRecord): LedgerHead | undefined {
  if (idempotencyKey === null) return undefined;
  const row = sql.one(
    "SELECT seq, hash FROM receipt WHERE emitter = ? AND idempotency_key = ?",
    ...[text(emitter), text(idempotencyKey)],
  );
  return row && { seq: Number(row.seq), hash: String(row.hash) };
}

const DAY_MS = 86_400_000;

function chainsBegun(sql: Statements, { emitter, atMs }: FrameRecord): number {
  const row = sql.one(
    // One that goes on from another is no new one. Inside of a text the quotes would be escaped.
    `SELECT count(*) AS begun FROM receipt WHERE emitter = ? AND chain_seq = 1 AND at_ms > ?
      AND instr(raw, '"continues":{') = 0`,
    ...[text(emitter), ms(atMs - DAY_MS)],
  );
  return Number(row?.begun);
}

/** What the first receipt fixed for ever. */
export interface Origin {
  readonly installation: string;
  readonly root: string;
  readonly issuer: string;
}

export function epochOf(sql: Statements): number {
  const row = sql.one(
    // Else the planner reads everything that the hub ever said.
    `SELECT raw FROM receipt INDEXED BY receipt_of_epoch
      WHERE type = 'epoch-opened' AND emitter IS NULL ORDER BY seq DESC LIMIT 1`,
  );
  const { issuer } = row === undefined ? {} : (JSON.parse(String(row.raw)) as Partial<Receipt>);
  return Number((issuer?.runtime?.details as { readonly epoch?: number } | undefined)?.epoch ?? 1);
}

/** Undefined: nothing is on record yet. */
export function beginningOf(sql: Statements): Origin | undefined {
  const row = sql.one("SELECT chain_id, raw FROM receipt WHERE seq = 1");
  if (row === undefined) return undefined;
  const root = String(row.chain_id);
  const { issuer } = JSON.parse(String(row.raw)) as { readonly issuer: { readonly id: string } };
  return { installation: root.replace(/:root$/, ""), root, issuer: issuer.id };
}

/** The tree of the first so many receipts. */
export function treeHeadAt(sql: Statements, size: number): TreeHead {
  return { size, root: loadFrontier(sql, size).root() };
}

/** The right edge: for each one bit of the size, the root of a complete subtree. */
function loadFrontier(sql: Statements, size: number): TreeFrontier {
  const peaks: Uint8Array[] = [];
  for (let level = Math.floor(Math.log2(Math.max(size, 1))), from = 0; level >= 0; level -= 1) {
    const width = 2 ** level;
    if (from + width > size) continue;
    peaks.push(treeNodeIn(sql, level, from / width));
    from += width;
  }
  return new TreeFrontier(crypto, { size, peaks });
}
