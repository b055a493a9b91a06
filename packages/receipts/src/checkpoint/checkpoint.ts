import { equalBytes, fromBase64, type ReceiptCrypto, type Signer, toBase64, utf8Bytes } from "../crypto/index.ts";
import { type Digest, ReceiptError } from "../format/index.ts";
import { isCount } from "../merkle/index.ts";
import type { TreeHead } from "../merkle-check/index.ts";
import { type Note, type NoteKey, noteKeyId, readNote, writeNote } from "./note.ts";

/** C2SP tlog-checkpoint: the state of one tree, named by its origin. */
export interface Checkpoint extends TreeHead {
  /** Which record: one for an installation and epoch. Also the name of the key that signs it. */
  readonly origin: string;
}

const ROOT_BYTES = 32;

/** The note's text: origin, size and root, a line each. We write no extension lines: witnesses can't vouch for them. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  if (origin === "" || /[\u0000-\u001f]/.test(origin)) {
    throw new ReceiptError("INVALID_NOTE", "an origin is a line of text");
  }
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** null: not a checkpoint. Extension lines are passed over. */
export function readCheckpointText(text: string): Checkpoint | null {
  const [origin = "", count = "", encoded = "", ...rest] = text.split("\n");
  const root = fromBase64(encoded);
  // The last element is what comes after the last newline: nothing.
  if (origin === "" || rest.pop() !== "" || rest.includes("")) return null;
  if (!/^(?:0|[1-9][0-9]*)$/.test(count) || !isCount(Number(count)) || root?.length !== ROOT_BYTES) return null;
  return { origin, size: Number(count), root };
}

/** A signed note, by the key that signs the receipts. */
export async function signCheckpoint(checkpoint: Checkpoint, signer: Signer, crypto: Digest): Promise<string> {
  const signature = await signer.sign(utf8Bytes(checkpointText(checkpoint)));
  return signedNote(checkpoint, { signature, publicKey: signer.publicKey }, crypto);
}

/** At once, for a caller inside a transaction; the signer must not answer later. */
export function signCheckpointNow(checkpoint: Checkpoint, signer: Signer, crypto: Digest): string {
  const signature = signer.sign(utf8Bytes(checkpointText(checkpoint)));
  if (signature instanceof Promise) throw new TypeError("this signer doesn't sign at once");
  return signedNote(checkpoint, { signature, publicKey: signer.publicKey }, crypto);
}

function signedNote(
  checkpoint: Checkpoint,
  { signature, publicKey }: { readonly signature: Uint8Array; readonly publicKey: Uint8Array },
  crypto: Digest,
): string {
  const keyId = noteKeyId({ name: checkpoint.origin, publicKey }, 0x01, crypto);
  return writeNote({
    text: checkpointText(checkpoint),
    signatures: [{ name: checkpoint.origin, keyId, signature }],
  });
}

/** What a note claims, before anybody has looked who signed it; null: it isn't a checkpoint. */
export function readCheckpoint(source: string): Checkpoint | null {
  const note = readNote(source);
  return note === null ? null : readCheckpointText(note.text);
}

/** Why a note isn't taken for a checkpoint. */
export type CheckpointFault =
  | "BAD_NOTE" // not a signed note
  | "BAD_CHECKPOINT" // a note about something else
  | "UNKNOWN_SIGNER" // none of its signatures claims to be by the key
  | "BAD_SIGNATURE"; // one claims to, and isn't

export type OpenedCheckpoint =
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint; readonly note: Note }
  | { readonly kind: "refused"; readonly fault: CheckpointFault };

/** The checkpoint inside a note that the key has signed under the checkpoint's own origin. */
export async function openCheckpoint(
  source: string,
  publicKey: Uint8Array,
  crypto: ReceiptCrypto,
): Promise<OpenedCheckpoint> {
  const note = readNote(source);
  if (note === null) return refused("BAD_NOTE");
  const checkpoint = readCheckpointText(note.text);
  if (checkpoint === null) return refused("BAD_CHECKPOINT");
  const fault = await checkLogSignature(note, { name: checkpoint.origin, publicKey }, crypto);
  return fault === null ? { kind: "checkpoint", checkpoint, note } : refused(fault);
}

async function checkLogSignature(note: Note, key: NoteKey, crypto: ReceiptCrypto): Promise<CheckpointFault | null> {
  const keyId = noteKeyId(key, 0x01, crypto);
  const claims = note.signatures.filter(({ name, keyId: id }) => name === key.name && equalBytes(id, keyId));
  if (claims.length === 0) return "UNKNOWN_SIGNER";
  const message = utf8Bytes(note.text);
  for (const { signature } of claims) {
    if (!(await crypto.verify({ publicKey: key.publicKey, message, signature }))) return "BAD_SIGNATURE";
  }
  return null;
}

function refused(fault: CheckpointFault): OpenedCheckpoint {
  return { kind: "refused", fault };
}
