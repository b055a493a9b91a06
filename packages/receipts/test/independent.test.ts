import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = new URL("../src/", import.meta.url);

/** What makes a record: receipts, signatures, the tree, checkpoints, bundles. */
const WRITER = [
  "format/create.ts",
  "format/template.ts",
  "format/sealer.ts",
  "merkle/frontier.ts",
  "merkle/prove.ts",
  "record/write-bundle.ts",
  "checkpoint/checkpoint.ts",
];
/** What checks one. */
const VERIFIER = [
  "record/verify-record.ts",
  "record/verify-selection.ts",
  "record/bundle-head.ts",
  "proofs/check.ts",
  "verify/verify-receipt.ts",
];

/** A fault in one of these would be made and not found. Each says what it holds. */
const SHARED = [
  "canonical/canonicalize.ts", // the canonical form
  "format/canonical-receipt.ts", // the canonical form of a receipt
  "format/receipt.ts", // the format's names
  "format/shape.ts", // what a receipt looks like
  "format/runtime.ts", // what our extensions look like
  "format/error.ts", // the largest size
  "format/hash.ts", // `sha256:` and hex
  "checkpoint/checkpoint.ts", // writes with one function and reads with another
  "checkpoint/note.ts", // likewise; both make a key's four bytes, which prove nothing
  "merkle/counts.ts", // what a number of leaves is
  "crypto/did-key.ts", // keys as text
  "crypto/pem.ts", // likewise
  "crypto/port.ts", // lengths of keys and signatures
  "crypto/bytes.ts", // bytes and text
  "crypto/base58.ts",
  "crypto/base64.ts",
];

/** Types apart: those are gone when it runs. Of a folder's entry point only the files whose names are taken. */
function importsOf(file: URL): URL[] {
  const text = readFileSync(file, "utf8").replace(/^import type[^;]*;/gm, "");
  return [...text.matchAll(/^(?:import|export)\s*\{([^}]*)\}\s*from\s+"(\.[^"]+)"/gm)].flatMap(
    ([, names = "", path = ""]) => {
      const found = new URL(path, file);
      return path.endsWith("/index.ts") ? listedIn(found, namesIn(names)) : [found];
    },
  );
}

function namesIn(list: string): string[] {
  return list.split(",").flatMap((part) => (/^\s*type\s/.test(part) ? [] : (/\w+/.exec(part) ?? [])));
}

function listedIn(index: URL, wanted: readonly string[]): URL[] {
  const lines = [...readFileSync(index, "utf8").matchAll(/^export\s*\{([^}]*)\}\s*from\s+"(\.[^"]+)"/gm)];
  return lines.flatMap(([, names = "", path = ""]) =>
    namesIn(names).some((name) => wanted.includes(name)) ? [new URL(path, index)] : [],
  );
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
