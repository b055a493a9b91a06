import type { TLSSocket } from "node:tls";
import { sandboxIdOfSan, serialOf } from "../ca/index.ts";
import type { AdmissionCode } from "./relay-error.ts";
import type { RevocationWatch } from "./watch-revocations.ts";

/** Whose connection it is, by its certificate alone. */
export interface Admitted {
  readonly sandboxId: string;
  readonly serial: string;
  readonly notAfterMs: number;
}

export type Admission =
  | { readonly kind: "admitted"; readonly who: Admitted }
  | { readonly kind: "refused"; readonly code: AdmissionCode };

/** id-kp-clientAuth (RFC 5280, section 4.2.1.12). */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

/** After the handshake, before a byte of HTTP is read. */
export function admit(socket: TLSSocket, revocations: RevocationWatch): Admission {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { kind: "refused", code: "NO_CERTIFICATE" };
  // Another CA, another purpose, a chain: whatever OpenSSL finds.
  if (!socket.authorized) return { kind: "refused", code: refusalOf(String(socket.authorizationError)) };
  // One that says nothing of its purpose is good for any to OpenSSL, and a CA's for signing others.
  if (certificate.ca || !certificate.keyUsage?.includes(CLIENT_AUTH))
    return { kind: "refused", code: "UNTRUSTED_CERTIFICATE" };
  const sandboxId = sandboxIdOfSan(certificate.subjectAltName);
  if (sandboxId === undefined) return { kind: "refused", code: "WRONG_NAME" };
  const who = { sandboxId, serial: serialOf(certificate.serialNumber), notAfterMs: Date.parse(certificate.validTo) };
  const code = refusalNow(who, revocations);
  return code === undefined ? { kind: "admitted", who } : { kind: "refused", code };
}

/** What may have changed since: asked with each request. */
export function refusalNow({ serial, notAfterMs }: Admitted, revocations: RevocationWatch): AdmissionCode | undefined {
  if (revocations.isRevoked(serial)) return "REVOKED_CERTIFICATE";
  return Date.now() > notAfterMs ? "EXPIRED_CERTIFICATE" : undefined;
}

function refusalOf(error: string): AdmissionCode {
  return /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/.test(error) ? "EXPIRED_CERTIFICATE" : "UNTRUSTED_CERTIFICATE";
}
