import { concatBytes, fromBase64, toBase64, utf8Bytes } from "../crypto/index.ts";
import { type Digest, ReceiptError } from "../format/index.ts";

/** C2SP signed-note: text, an empty line, and signature lines `— <name> base64(key id || signature)`. */
export interface Note {
  /** With its last newline; what the signatures are over. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

interface NoteSignature {
  readonly name: string;
  /** Four bytes: which key of that name, and for which algorithm. An identifier, not a proof. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** More than the sixteen that a reader must take; each is checked, so there is an end to them. */
const MAX_SIGNATURES = 64;
const MAX_NOTE_LENGTH = 64 * 1024;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;
const KEY_ID_BYTES = 4;

export function writeNote({ text, signatures }: Note): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    if (!isKeyName(name)) throw new ReceiptError("INVALID_NOTE", `no key can be named ${JSON.stringify(name)}`);
    return `— ${name} ${toBase64(concatBytes(keyId, signature))}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** null: not a signed note. */
export function readNote(source: string): Note | null {
  if (source.length > MAX_NOTE_LENGTH || !source.isWellFormed() || hasControls(source)) return null;
  // The text may hold empty lines; the last one is what ends it.
  const end = source.lastIndexOf("\n\n");
  if (end === -1 || !source.endsWith("\n")) return null;
  const lines = source.slice(end + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures = lines.map(readSignature);
  return signatures.every((each) => each !== null) ? { text: source.slice(0, end + 1), signatures } : null;
}

function readSignature(line: string): NoteSignature | null {
  const [, name = "", encoded = ""] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes === null || bytes.length <= KEY_ID_BYTES) return null;
  return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
}

/** 0x01: Ed25519 over the text, as the log signs. 0x04: a witness's timestamped cosignature. */
export type NoteAlgorithm = 0x01 | 0x04;

export interface NoteKey {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

export function noteKeyId({ name, publicKey }: NoteKey, algorithm: NoteAlgorithm, crypto: Digest): Uint8Array {
  return crypto.sha256(concatBytes(utf8Bytes(`${name}\n`), Uint8Array.of(algorithm), publicKey)).slice(0, KEY_ID_BYTES);
}

function isKeyName(name: string): boolean {
  return name !== "" && !/[\s\p{White_Space}+\u0000-\u001f]/u.test(name);
}

function hasControls(source: string): boolean {
  return /[\u0000-\u0009\u000b-\u001f]/.test(source);
}
