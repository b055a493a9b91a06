import { concatBytes, equalBytes, type ReceiptCrypto, type Signer, utf8Bytes } from "../crypto/index.ts";
import { type Digest, ReceiptError } from "../format/index.ts";
import { type NoteKey, noteKeyId, readNote, writeNote } from "./note.ts";

/** C2SP tlog-cosignature: u64 seconds, big-endian, and 64 bytes of Ed25519. */
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + 64;

export interface Cosigner {
  readonly name: string;
  readonly signer: Signer;
}

/**
 * Adds a witness's statement: at this time, this is the largest tree of that origin which it has seen, and it agrees
 * with all it saw before. The witness must have made sure of that; see `compareWithMemory`.
 */
export async function cosignCheckpoint(
  source: string,
  cosigner: Cosigner & { readonly atSeconds: number },
  crypto: Digest,
): Promise<string> {
  const note = readNote(source);
  if (note === null) throw new ReceiptError("INVALID_NOTE", "only a signed note can be cosigned");
  const { name, signer, atSeconds } = cosigner;
  const keyId = noteKeyId({ name, publicKey: signer.publicKey }, 0x04, crypto);
  const bytes = await signer.sign(cosignedMessage(note.text, BigInt(atSeconds)));
  const signature = concatBytes(bigEndian(BigInt(atSeconds)), bytes);
  return writeNote({ ...note, signatures: [...note.signatures, { name, keyId, signature }] });
}

export interface Cosignature {
  readonly name: string;
  /** By the witness's own clock. */
  readonly atSeconds: number;
}

/** null: a known witness's line that doesn't verify, or no note at all; then none of the others counts either. */
export async function checkCosignatures(
  source: string,
  witnesses: readonly NoteKey[],
  crypto: ReceiptCrypto,
): Promise<readonly Cosignature[] | null> {
  const note = readNote(source);
  if (note === null) return null;
  const found: Cosignature[] = [];
  for (const witness of witnesses) {
    const keyId = noteKeyId(witness, 0x04, crypto);
    for (const { name, keyId: id, signature: bytes } of note.signatures) {
      if (name !== witness.name || !equalBytes(id, keyId)) continue;
      if (bytes.length !== COSIGNATURE_BYTES) return null;
      const at = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
      const message = cosignedMessage(note.text, at);
      const signature = bytes.subarray(TIME_BYTES);
      if (!(await crypto.verify({ publicKey: witness.publicKey, message, signature }))) return null;
      found.push({ name, atSeconds: Number(at) });
    }
  }
  return found;
}

function cosignedMessage(text: string, atSeconds: bigint): Uint8Array {
  return utf8Bytes(`cosignature/v1\ntime ${atSeconds}\n${text}`);
}

function bigEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}
