import type { Clock, Log, Timer } from "@countersign/core/base";
import { type Checkpoint, openCheckpoint, type TreeHead } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { Store } from "../contract/index.ts";
import { type LedgerIdentity, StoreError } from "../ledger/index.ts";
import type { WitnessFile } from "./witness-file.ts";

/** Whichever comes first; what came after the last checkpoint could be cut off unnoticed. */
const EVERY_RECEIPTS = 1_000;
const EVERY_MS = 60_000;

const crypto = nodeCrypto();

/** How the ledger differs from what its witness remembers. */
interface Setback {
  readonly how: "rolled-back" | "forked" | "replaced";
  readonly remembered: Checkpoint;
  readonly found: TreeHead;
}

/**
 * Signs the ledger's tree now and then, and has it remembered elsewhere. At the start it is held against that memory: a
 * tail that was cut off, another history or an older copy opens a new epoch, on record.
 */
export class Checkpoints {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #witness: WitnessFile;
  /** The last receipt that is a checkpoint: nothing needs another one before something follows. */
  #newestSeq = 0;
  #due: Timer | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** What the witness remembers and the ledger doesn't have. */
  setback: string | undefined;
  /** Why the last one isn't kept elsewhere. */
  problem: string | undefined;

  private constructor(store: Store, clock: Clock, log: Log, witness: WitnessFile) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#witness = witness;
  }

  /** Before anything is written; `begin` afterwards. */
  static async open({
    store,
    clock,
    log,
    witness,
  }: {
    readonly store: Store;
    readonly clock: Clock;
    readonly log: Log;
    readonly witness: WitnessFile;
  }): Promise<{ begin(): Promise<Checkpoints> }> {
    const setback = await findSetback(store, witness);
    return {
      begin: async () => {
        const checkpoints = new Checkpoints(store, clock, log, witness);
        if (setback) await checkpoints.#openEpoch(setback);
        return checkpoints;
      },
    };
  }

  /** The ledger has grown. Returns at once. */
  follow(): void {
    this.#due ??= this.#clock.after(EVERY_MS, () => void this.sign());
    void this.#store.ledgerHead().then(
      (head) => {
        if (this.#waiting === 0 && (head?.seq ?? 0) - this.#newestSeq >= EVERY_RECEIPTS) void this.sign();
      },
      // Who closes the store has signed the last one.
      () => undefined,
    );
  }

  /** The last one. */
  async close(): Promise<void> {
    await this.sign();
    this.#due?.cancel();
  }

  /** Now, after those under way. */
  sign(): Promise<void> {
    this.#due?.cancel();
    this.#due = undefined;
    this.#waiting += 1;
    this.#turn = this.#turn.then(() => this.#signNow());
    return this.#turn;
  }

  async #signNow(): Promise<void> {
    this.#waiting -= 1;
    try {
      const grown = (await this.#store.ledgerHead())?.seq !== this.#newestSeq;
      // One that is signed but isn't kept elsewhere is only to be kept.
      if (!grown && this.problem === undefined) return;
      if (grown) {
        const commit = await this.#store.commit([{ op: "checkpoint", atMs: this.#clock.wallMs() }]);
        this.#newestSeq = (commit.ok && commit.entries[0]?.seq) || 0;
      }
      const newest = await this.#store.newestCheckpoint();
      if (newest) await this.#witness.append(newest.note);
      this.problem = undefined;
    } catch (cause) {
      this.problem = `The newest checkpoint isn't kept in ${this.#witness.path}: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#log.error({ err: cause }, "the ledger could not be witnessed; it is tried again");
      if (!(cause instanceof StoreError && cause.code === "CLOSED"))
        this.#due ??= this.#clock.after(EVERY_MS, () => void this.sign());
    }
  }

  async #openEpoch({ how, remembered, found }: Setback): Promise<void> {
    const identity = (await this.#store.ledgerIdentity()) as LedgerIdentity;
    const epoch = Math.max(identity.epoch, epochIn(remembered.origin)) + 1;
    const body = { epoch, how, remembered: told(remembered), found: told(found), origin: remembered.origin };
    const draft = {
      type: "epoch-opened",
      sessionId: null,
      proposalKey: null,
      atMs: this.#clock.wallMs(),
      body,
    } as const;
    await this.#store.commit([{ op: "append", draft }]);
    this.setback = `The ledger was ${WORDS[how]}: its witness remembers ${remembered.size} receipts, and ${found.size} were found. This is on record as epoch ${epoch}.`;
    this.#log.error(body, this.setback);
    await this.sign();
  }
}

const WORDS = {
  "rolled-back": "cut or replaced by an older copy",
  forked: "changed into another history",
  replaced: "replaced by another one",
} as const;

/** Undefined: it holds all that is remembered, or nothing is. */
async function findSetback(store: Store, witness: WitnessFile): Promise<Setback | undefined> {
  // A copy from before the key was changed, put back with the keys of that time, knows the one that signed since only as the one to come.
  const next = await store.nextLedgerKey();
  const remembered = await newestRemembered(witness, [...(await store.ledgerKeys()), ...(next ? [next] : [])]);
  if (remembered === undefined) return undefined;
  const identity = await store.ledgerIdentity();
  const found = (await store.treeHead()) as TreeHead;
  if (identity === null || !remembered.origin.startsWith(`${identity.installation}/`)) {
    return { how: "replaced", remembered, found };
  }
  const then = await store.treeHead(remembered.size);
  if (then === null) return { how: "rolled-back", remembered, found };
  if (!Buffer.from(then.root).equals(remembered.root)) return { how: "forked", remembered, found };
  return undefined;
}

/** Ours by its signature: another's line in the file says nothing about this ledger. */
async function newestRemembered(witness: WitnessFile, keys: readonly Uint8Array[]): Promise<Checkpoint | undefined> {
  for (const note of await witness.newest()) {
    for (const key of keys) {
      const opened = await openCheckpoint(note, key, crypto);
      if (opened.kind === "checkpoint") return opened.checkpoint;
    }
  }
  return undefined;
}

function told({ size, root }: TreeHead): { size: number; root: string } {
  return { size, root: Buffer.from(root).toString("base64") };
}

function epochIn(origin: string): number {
  return Number(/\/epoch-(\d{1,9})$/.exec(origin)?.[1] ?? 1);
}
