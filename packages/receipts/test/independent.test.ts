import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = new URL("../src/", import.meta.url);

/** What makes a record: receipts, signatures, the tree, checkpoints, bundles. */
const WRITER = [
  "receipt/create.ts",
  "receipt/form.ts",
  "receipt/sealer.ts",
  "tree/frontier.ts",
  "tree/prove.ts",
  "bundle/write-bundle.ts",
  "checkpoint/checkpoint.ts",
];
/** What checks one. */
const VERIFIER = [
  "record/verify-record.ts",
  "record/verify-selection.ts",
  "record/bundle-head.ts",
  "proof/check.ts",
  "verify/verify-receipt.ts",
];

/** A fault in one of these would be made and not found. Each says what it holds. */
const SHARED = [
  "canonical/canonicalize.ts", // the canonical form
  "receipt/canonical-receipt.ts", // the canonical form of a receipt
  "receipt/receipt.ts", // the format's names
  "receipt/shape.ts", // what a receipt looks like
  "receipt/runtime.ts", // what our extensions look like
  "receipt/error.ts", // the largest size
  "receipt/hash.ts", // `sha256:` and hex
  "checkpoint/checkpoint.ts", // writes with one function and reads with another
  "checkpoint/note.ts", // likewise; both make a key's four bytes, which prove nothing
  "tree/counts.ts", // what a number of leaves is
  "keys/did-key.ts", // keys as text
  "keys/pem.ts", // likewise
  "crypto/port.ts", // lengths of keys and signatures
  "crypto/bytes.ts", // bytes and text
  "crypto/base58.ts",
  "crypto/base64.ts",
];

/** Types apart: those are gone when it runs. */
function importsOf(file: URL): URL[] {
  const text = readFileSync(file, "utf8").replace(/^import type[^;]*;/gm, "");
  return [...text.matchAll(/\bfrom\s+"(\.[^"]+)"/g)].map((match) => new URL(match[1] as string, file));
}

function reachedFrom(files: readonly string[]): string[] {
  const reached = new Set(files.map((file) => new URL(file, source).href));
  for (const href of reached) for (const { href: next } of importsOf(new URL(href))) reached.add(next);
  return [...reached].map((href) => fileURLToPath(href).slice(fileURLToPath(source).length));
}

test("the verifier shares no code with the writer beyond the canonical form and how bytes are written", () => {
  const written = new Set(reachedFrom(WRITER));
  const both = reachedFrom(VERIFIER).filter((file) => written.has(file));
  assert.deepEqual(both.sort(), SHARED.toSorted());
});
