import {
  CanonicalError,
  decodeUtf8,
  findInCanonical,
  type Json,
  JsonError,
  type JsonFault,
  readJson,
} from "../canonical/index.ts";
import { ByteSlab, utf8Bytes } from "../crypto/index.ts";
import { type CanonicalReceipt, canonicalReceipt, unsignedText, wholeText } from "./canonical-receipt.ts";
import { MAX_RECEIPT_BYTES } from "./error.ts";
import { checkVersion, isNewerVersion, newerShape, type Receipt, receiptShape } from "./receipt.ts";

/** Why bytes are no receipt. */
export type MalformedReason =
  | JsonFault
  | "EMPTY"
  | "OVERSIZE" // longer than MAX_RECEIPT_BYTES
  | "UNKNOWN_VERSION" // no version of the format
  | "NEWER_VERSION" // newer than this reader, and not of a form that it knows
  | "WRONG_SHAPE" // a field that is missing or of another kind
  | "LOOSE_PROOF" // ours, and its proof says something that isn't signed
  | "NOT_CANONICAL"; // other bytes than the writer's, where those were asked for

export type ReadReceipt =
  | {
      readonly kind: "receipt";
      readonly receipt: Receipt;
      /** RFC 8785 bytes without the proof: what is signed and hashed. */
      readonly message: Uint8Array;
      /** The bytes are the canonical form themselves, as this library writes them. */
      readonly isCanonical: boolean;
      /** Its version, where that is newer than this reader: what it says beyond the known rules isn't known. */
      readonly newer: string | null;
    }
  | Malformed;

export interface Malformed {
  readonly kind: "malformed";
  readonly reason: MalformedReason;
  /** A path, an offset into the text, or nothing. */
  readonly at: string;
}

const messages = new ByteSlab();

/** A receipt from bytes as they were stored or sent. Never throws because of them. */
export function readReceipt(raw: Uint8Array): ReadReceipt {
  if (raw.length === 0) return malformed("EMPTY");
  if (raw.length > MAX_RECEIPT_BYTES) return malformed("OVERSIZE", String(raw.length));
  try {
    const text = decodeUtf8(raw);
    return readAsWritten(text, raw) ?? readCanonical(text) ?? readOther(text);
  } catch (error) {
    if (error instanceof JsonError) return malformed(error.code, String(error.offset));
    throw error;
  }
}

/**
 * The common case: text that is its own canonical form, in which the message stands around the proof. Such text can have
 * no duplicate key, no odd number and no lone surrogate, so that JSON.parse reads it right. null: not such text.
 */
function readAsWritten(text: string, raw: Uint8Array): ReadReceipt | null {
  const proof = findInCanonical(text, "proof");
  if (proof === null || proof.start === 1) return null;
  const message =
    raw.length === text.length
      ? messages.join(raw.subarray(0, proof.start), raw.subarray(proof.end))
      : utf8Bytes(text.slice(0, proof.start) + text.slice(proof.end));
  return shaped(JSON.parse(text), message, true);
}

/** The same, found by writing the canonical form again: for the first receipt of a chain, which has a null in it. */
function readCanonical(text: string): ReadReceipt | null {
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const canonical = canonicalOf(value);
  if (canonical === null || wholeText(canonical) !== text) return null;
  return shaped(value, utf8Bytes(unsignedText(canonical)), true);
}

function readOther(text: string): ReadReceipt {
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return malformed("WRONG_SHAPE");
  // readJson has refused whatever has no canonical form.
  return shaped(value, utf8Bytes(unsignedText(canonicalReceipt(value))), false);
}

function shaped(value: object, message: Uint8Array, isCanonical: boolean): ReadReceipt {
  const { version } = value as { readonly version?: unknown };
  if (typeof version === "string" && isNewerVersion(version)) {
    const at = newerShape.check(value, "read");
    if (at !== null) return malformed("NEWER_VERSION", `${version} ${at}`);
    return { kind: "receipt", receipt: value as Receipt, message, isCanonical, newer: version };
  }
  const at = receiptShape.check(value, "read");
  if (at === ".version" && typeof version === "string") return malformed("UNKNOWN_VERSION", at);
  if (at !== null) return malformed("WRONG_SHAPE", at);
  const receipt = value as Receipt;
  const misfit = checkVersion(receipt);
  if (misfit !== null) return malformed("WRONG_SHAPE", misfit);
  return { kind: "receipt", receipt, message, isCanonical, newer: null };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function canonicalOf(value: object): CanonicalReceipt | null {
  try {
    return canonicalReceipt(value);
  } catch (error) {
    if (error instanceof CanonicalError) return null;
    throw error;
  }
}

export function malformed(reason: MalformedReason, at = ""): Malformed {
  return { kind: "malformed", reason, at };
}
