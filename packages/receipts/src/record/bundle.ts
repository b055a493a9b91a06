export const BUNDLE_FORMAT = "countersign-bundle/1";

/** A ledger, or some of it, in one file that needs no store to be verified. */
export interface Bundle {
  readonly format: typeof BUNDLE_FORMAT;
  /** Not all of the ledger was put in; see `inclusion`. */
  readonly selection: boolean;
  /** Of a report: which time it is about. */
  readonly span?: { readonly fromMs: number; readonly toMs: number };
  readonly issuer: string;
  /** SPKI PEM. For convenience: they prove nothing about who. */
  readonly keys: readonly string[];
  readonly checkpoints: readonly string[];
  readonly tree: { readonly size: number; readonly root: string };
  readonly receipts: readonly { readonly seq: number; readonly raw: string }[];
  /** Of a selection: why each is a leaf of the newest checkpoint's tree. */
  readonly inclusion: readonly { readonly seq: number; readonly proof: readonly string[] }[];
}

/** It is parsed as a whole. A larger ledger is verified as lines, which aren't. */
export const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;

/** null: it is none, or of another version. Checks nothing but the form. */
export function readBundle(value: unknown): Bundle | null {
  if (!isObject(value) || value.format !== BUNDLE_FORMAT) return null;
  const { selection, span, issuer, keys, checkpoints, tree, receipts, inclusion } = value;
  const isOne =
    typeof selection === "boolean" &&
    (span === undefined || (isObject(span) && Number.isSafeInteger(span.fromMs) && Number.isSafeInteger(span.toMs))) &&
    typeof issuer === "string" &&
    isListOf(keys, isText) &&
    isListOf(checkpoints, isText) &&
    isObject(tree) &&
    typeof tree.size === "number" &&
    isText(tree.root) &&
    isListOf(receipts, (each) => isObject(each) && typeof each.seq === "number" && isText(each.raw)) &&
    isListOf(inclusion, (each) => isObject(each) && typeof each.seq === "number" && isListOf(each.proof, isText));
  return isOne ? (value as unknown as Bundle) : null;
}

const BEGINNING = /^\s*\{\s*"format"\s*:\s*"countersign-bundle\//;

/** By how a file begins: what it holds counts, and not its name. */
export function looksLikeBundle(beginning: string): boolean {
  return BEGINNING.test(beginning);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf(value: unknown, isOne: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
