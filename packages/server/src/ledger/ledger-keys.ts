import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { keyFingerprint, publicKeyFromPem, Sealer, type Sha256Text, type Signer } from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, pooledSignerFromPem, signerFromPem } from "@countersign/receipts/node";
import { writeFileAtomically } from "../write-file-atomically.ts";

/** What signs a ledger. */
export interface LedgerKeys {
  readonly signer: Signer;
  readonly sealer: Sealer;
  /** The same key, on other threads. */
  readonly pool: Sealer;
  /** Of the only key that may follow: made long before it is needed, so that a thief of this one can't name another. */
  readonly nextFingerprint: Sha256Text;
}

const CURRENT = "receipts";
const NEXT = "receipts-next";

/**
 * The keys in a directory that is ours alone, made where there are none and that is allowed. The next key's private half may be taken away to a
 * safer place: until it is used, only its public half is needed.
 */
export async function loadLedgerKeys(
  directory: string,
  { mayMake }: { readonly mayMake: boolean },
): Promise<LedgerKeys | undefined> {
  if (!mayMake && !existsSync(privateFile(directory, CURRENT))) return undefined;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of [NEXT, CURRENT]) await ensurePair(directory, name);
  const next = publicKeyFromPem(readFileSync(publicFile(directory, NEXT), "utf8"));
  if (next === null) throw new Error(`${publicFile(directory, NEXT)} holds no Ed25519 public key`);
  const pem = readFileSync(privateFile(directory, CURRENT), "utf8");
  const signer = signerFromPem(pem);
  return {
    ...{ signer, sealer: new Sealer(signer), pool: new Sealer(pooledSignerFromPem(pem)) },
    nextFingerprint: keyFingerprint(next, nodeCrypto()),
  };
}

/** The public half is written last: where it stands, the pair was made whole. */
async function ensurePair(directory: string, name: string): Promise<void> {
  if (existsSync(publicFile(directory, name))) return;
  const { privatePem, publicPem } = generateSigningKey();
  await writeFileAtomically(privateFile(directory, name), privatePem);
  await writeFileAtomically(publicFile(directory, name), publicPem);
}

function privateFile(directory: string, name: string): string {
  return join(directory, `${name}.pem`);
}

function publicFile(directory: string, name: string): string {
  return join(directory, `${name}.pub.pem`);
}
