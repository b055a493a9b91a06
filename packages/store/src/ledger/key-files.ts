import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { publicKeyFromPem, type Sha256Text } from "@countersign/receipts";
import { generateSigningKey, signerFromPem } from "@countersign/receipts/node";
import { chainPart, fingerprintOf, type KeysInForce, keysFrom, type LedgerKeys } from "./ledger-keys.ts";
import { StoreError } from "./store-error.ts";

/** Who may sign, as the ledger itself says. */
export interface KeysOnRecord {
  readonly publicKey: Uint8Array;
  readonly nextFingerprint: Sha256Text;
  readonly chainPart: string;
}

const CURRENT = "receipts";
const NEXT = "receipts-next";
/** Will be the next one: made before a change that commits to it, and becomes `NEXT` when that is durable. */
const AFTER = "receipts-after";

/**
 * The keys of a ledger, in a directory that is ours alone. `receipts.pem` signs; `receipts-next.pem` may follow, and its private half may be
 * taken away to a safer place until it is used; `receipts.pub.pem` stays the first key's, which others know this ledger by.
 *
 * Changing the key, and where a kill in between leaves it:
 * 1. the key after the next is written: nobody has committed to it, it is used the next time;
 * 2. the receipt of the change is durable: the ledger says who signs, and the files follow at the start;
 * 3. the old private key is overwritten, and replaced by the next one's file;
 * 4. the files of the key after that become the next one's.
 * 3 and 4 are `settle`, which goes by what the ledger says and so can be repeated from anywhere.
 */
export class KeyFiles implements KeysInForce {
  readonly #directory: string;
  current: LedgerKeys;

  private constructor(directory: string, current: LedgerKeys) {
    this.#directory = directory;
    this.current = current;
  }

  /** Of the ledger that is there, as far as it goes; without one, new ones are made. Rejects with OTHER_KEY. */
  static async open(directory: string, onRecord: KeysOnRecord | undefined): Promise<KeyFiles> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (onRecord !== undefined) {
      await settle(directory, onRecord);
      return new KeyFiles(directory, readCurrent(directory, onRecord));
    }
    for (const name of [NEXT, CURRENT]) await ensurePair(directory, name);
    const next = publicIn(directory, NEXT);
    if (next === null) throw new Error(`${publicFile(directory, NEXT)} holds no Ed25519 public key`);
    const rest = { nextFingerprint: fingerprintOf(next), chainPart: "" };
    return new KeyFiles(directory, keysFrom(readFileSync(privateFile(directory, CURRENT), "utf8"), rest));
  }

  /** The public half of the key that may follow; null: it isn't there. */
  next(): Uint8Array | null {
    const next = publicIn(this.#directory, NEXT);
    return next !== null && fingerprintOf(next) === this.current.nextFingerprint ? next : null;
  }

  /** What the next key will sign with. Nothing has changed yet. Rejects with NO_NEXT_KEY. */
  async prepare(): Promise<LedgerKeys> {
    const path = privateFile(this.#directory, NEXT);
    const next = privateIn(this.#directory, NEXT);
    if (next === null || fingerprintOf(next.publicKey) !== this.current.nextFingerprint) {
      const why = next === null ? "isn't there" : "isn't the one that the ledger has committed to";
      throw new StoreError("NO_NEXT_KEY", `The key that may follow ${why}: put it back as ${path}, and try again.`);
    }
    await ensurePair(this.#directory, AFTER);
    const after = publicIn(this.#directory, AFTER);
    if (after === null) throw new Error(`${publicFile(this.#directory, AFTER)} holds no Ed25519 public key`);
    const part = chainPart(this.current.nextFingerprint);
    return keysFrom(next.pem, { nextFingerprint: fingerprintOf(after), chainPart: part });
  }

  /** After a change is durable. */
  async settle(): Promise<void> {
    const { signer, nextFingerprint } = this.current;
    await settle(this.#directory, { publicKey: signer.publicKey, nextFingerprint });
  }
}

/** Where these aren't the ledger's keys, nothing is touched: somebody may put the right ledger back. */
async function settle(
  directory: string,
  { publicKey, nextFingerprint }: Pick<KeysOnRecord, "publicKey" | "nextFingerprint">,
): Promise<void> {
  const isInForce = (name: string) => {
    const found = privateIn(directory, name);
    return found !== null && Buffer.from(found.publicKey).equals(publicKey);
  };
  if (!isInForce(CURRENT)) {
    if (!isInForce(NEXT)) return;
    await destroy(privateFile(directory, CURRENT));
    await move(directory, privateFile(directory, NEXT), privateFile(directory, CURRENT));
  }
  const after = publicIn(directory, AFTER);
  if (after === null || fingerprintOf(after) !== nextFingerprint) return;
  // The public half last: as long as it is there, this begins again.
  if (existsSync(privateFile(directory, AFTER)))
    await move(directory, privateFile(directory, AFTER), privateFile(directory, NEXT));
  await move(directory, publicFile(directory, AFTER), publicFile(directory, NEXT));
}

function readCurrent(directory: string, { publicKey, ...rest }: KeysOnRecord): LedgerKeys {
  const found = privateIn(directory, CURRENT);
  if (found !== null && Buffer.from(found.publicKey).equals(publicKey)) return keysFrom(found.pem, rest);
  const why = found === null ? "is missing" : "isn't the one that signs this ledger";
  throw new StoreError(
    "OTHER_KEY",
    `The key in ${directory} ${why}. Put the right one back, or the newest copy of the ledger: nothing is signed with another, and a key that was replaced is gone.`,
  );
}

/** The public half is written last: where it stands, the pair was made whole. */
async function ensurePair(directory: string, name: string): Promise<void> {
  if (existsSync(publicFile(directory, name))) return;
  const { privatePem, publicPem } = generateSigningKey();
  await writeFileAtomically(privateFile(directory, name), privatePem);
  await writeFileAtomically(publicFile(directory, name), publicPem);
}

/** In place, so that no free block keeps it, as far as a file system and its disk go along with that. */
async function destroy(path: string): Promise<void> {
  if (!existsSync(path)) return;
  await using file = await open(path, "r+");
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
}

async function move(directory: string, from: string, to: string): Promise<void> {
  await rename(from, to);
  await using folder = await open(directory, "r");
  await folder.sync();
}

/** null: not there, or no Ed25519 key, as after it was destroyed. */
function privateIn(directory: string, name: string): { readonly pem: string; readonly publicKey: Uint8Array } | null {
  const path = privateFile(directory, name);
  if (!existsSync(path)) return null;
  const pem = readFileSync(path, "utf8");
  try {
    return { pem, publicKey: signerFromPem(pem).publicKey };
  } catch {
    return null;
  }
}

function publicIn(directory: string, name: string): Uint8Array | null {
  const path = publicFile(directory, name);
  return existsSync(path) ? publicKeyFromPem(readFileSync(path, "utf8")) : null;
}

function privateFile(directory: string, name: string): string {
  return join(directory, `${name}.pem`);
}

function publicFile(directory: string, name: string): string {
  return join(directory, `${name}.pub.pem`);
}
