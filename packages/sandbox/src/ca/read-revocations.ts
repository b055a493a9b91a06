import { verify, X509Certificate } from "node:crypto";
import { serialOf } from "./bundle.ts";
import { CaError } from "./ca-error.ts";
import { type Der, DerReader } from "./der.ts";

/** The serials that a CA has revoked. */
export interface Revocations {
  readonly serials: ReadonlySet<string>;
  readonly issuedAtMs: number;
}

const PEM = /^\s*-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----\s*$/;

/**
 * Reads a CRL (RFC 5280, 5.1) that `ca revoke` wrote, and checks that the CA signed it. Read by hand and to the last byte: a reader that
 * skips what it doesn't expect would find nothing revoked. Throws CaError.
 */
export function readRevocations(pem: string, caCertificate: string): Revocations {
  try {
    const base64 = PEM.exec(pem)?.[1];
    if (base64 === undefined) throw new Error("it isn't one in PEM");
    return readList(Buffer.from(base64, "base64"), new X509Certificate(caCertificate));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CaError("CA_INVALID", `The list of what is revoked can't be used (${why}).`, { cause });
  }
}

/** CertificateList ::= SEQUENCE { tbsCertList, signatureAlgorithm, signatureValue } */
function readList(der: Buffer, ca: X509Certificate): Revocations {
  const outer = new DerReader(der);
  const list = new DerReader(outer.take("sequence").content);
  outer.end();
  const signed = list.take("sequence");
  list.take("sequence");
  const signature = list.take("bitString").content;
  list.end();
  if (signature[0] !== 0) throw new Error("its signature isn't whole bytes");
  if (!verify("sha256", signed.whole, ca.publicKey, signature.subarray(1))) throw new Error("the CA hasn't signed it");
  return readSigned(new DerReader(signed.content));
}

/** TBSCertList ::= SEQUENCE { version, signature, issuer, thisUpdate, nextUpdate?, revokedCertificates?, [0] extensions? } */
function readSigned(tbs: DerReader): Revocations {
  tbs.take("integer");
  tbs.take("sequence");
  tbs.take("sequence");
  const issuedAtMs = timeOf(tbs.take("utcTime", "generalizedTime"));
  if (tbs.nextIs("utcTime", "generalizedTime")) tbs.take("utcTime", "generalizedTime");
  const serials = new Set<string>();
  if (tbs.nextIs("sequence")) {
    const entries = new DerReader(tbs.take("sequence").content);
    while (!entries.isAtEnd) {
      const entry = new DerReader(entries.take("sequence").content);
      serials.add(serialOf(entry.take("integer").content.toString("hex")));
    }
  }
  if (tbs.nextIs("context0")) tbs.take("context0");
  tbs.end();
  return { serials, issuedAtMs };
}

/** UTCTime `YYMMDDHHMMSSZ` until 2049, GeneralizedTime `YYYYMMDDHHMMSSZ` after. */
function timeOf({ kind, content }: Der): number {
  const text = content.toString("latin1");
  const digits = kind === "utcTime" ? `20${text}` : text;
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
  if (!found) throw new Error("its date can't be read");
  const [, year, month, day, hour, minute, second] = found;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
