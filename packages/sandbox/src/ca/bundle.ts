import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { CaError } from "./ca-error.ts";
import { sandboxIdOfSan } from "./sandbox-id.ts";

/** What one end of the connection shows, and whom it trusts. PEM. */
export interface Bundle {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
  /** Undefined: the relay's own, not a sandbox's. */
  readonly sandboxId: string | undefined;
  readonly serial: string;
  readonly notAfterMs: number;
}

const BLOCK = /-----BEGIN ([A-Z ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;
const LONGEST_BUNDLE = 64 * 1024;

export function writeBundle({ key, cert, ca }: Pick<Bundle, "key" | "cert" | "ca">): string {
  return [key, cert, ca].map((pem) => `${pem.trim()}\n`).join("");
}

/** A key, its certificate, and that of the CA: one file to mount. Throws CaError. */
export function readBundle(path: string): Bundle {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CaError("BUNDLE_INVALID", `${path} isn't a bundle of \`countersign execd ca issue\` (${why}).`, {
      cause,
    });
  }
}

function parse(text: string): Bundle {
  if (text.length > LONGEST_BUNDLE) throw new Error("it is too long");
  const blocks = [...text.matchAll(BLOCK)].map(([pem, label]) => ({ pem, label }));
  const [key, cert, ca] = blocks;
  if (blocks.length !== 3 || !key || !cert || !ca)
    throw new Error("it has a key, a certificate and a CA, in this order");
  if (key.label !== "PRIVATE KEY" || cert.label !== "CERTIFICATE" || ca.label !== "CERTIFICATE")
    throw new Error("it has a key, a certificate and a CA, in this order");
  const leaf = new X509Certificate(cert.pem);
  const authority = new X509Certificate(ca.pem);
  if (!leaf.checkPrivateKey(createPrivateKey(key.pem))) throw new Error("the key isn't the certificate's");
  if (!leaf.checkIssued(authority) || !leaf.verify(authority.publicKey))
    throw new Error("the CA isn't the certificate's");
  return {
    key: key.pem,
    cert: cert.pem,
    ca: ca.pem,
    sandboxId: sandboxIdOfSan(leaf.subjectAltName),
    serial: serialOf(leaf.serialNumber),
    notAfterMs: Date.parse(leaf.validTo),
  };
}

/** One way of writing it: lower case, without leading zeros of a byte that is only there for the sign. */
export function serialOf(hex: string): string {
  return hex.toLowerCase().replace(/^(?:00)+(?=.)/, "");
}
