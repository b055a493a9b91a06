import "reflect-metadata";
import { createHash, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  X509CrlGenerator,
} from "@peculiar/x509";
import { sanOf } from "./sandbox-id.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

type Key = Awaited<ReturnType<typeof crypto.subtle.generateKey>> & object;
type KeyPair = Extract<Key, { privateKey: unknown }>;

/** A CA that can sign. */
export interface SigningCa {
  readonly certificate: string;
  readonly privateKey: KeyPair["privateKey"];
}

/** From when until when, in milliseconds since 1970. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Minted {
  readonly key: string;
  readonly cert: string;
  readonly serial: string;
}

export async function mintCa(name: string, span: Span): Promise<{ readonly key: string; readonly cert: string }> {
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    serialNumber: newSerial(),
    ...datesOf(span),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await keyToPem(keys.privateKey), cert: cert.toString("pem") };
}

export async function openSigningCa(key: string, certificate: string): Promise<SigningCa> {
  const der = PemConverter.decodeFirst(key);
  return { certificate, privateKey: await crypto.subtle.importKey("pkcs8", der, ALGORITHM, false, ["sign"]) };
}

/** Good for showing to the relay, and for nothing else: not for being one. */
export async function mintForSandbox(sandboxId: string, span: Span, ca: SigningCa): Promise<Minted> {
  // RFC 5280 lets a common name have 64 characters; the name that counts is the SAN.
  return await mint({ subject: `CN=${sandboxId.slice(0, 64)}`, span, ca }, [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth], true),
    new SubjectAlternativeNameExtension([{ type: "url", value: sanOf(sandboxId) }]),
  ]);
}

export async function mintForRelay(hosts: readonly string[], span: Span, ca: SigningCa): Promise<Minted> {
  return await mint({ subject: "CN=countersign execd relay", span, ca }, [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth], true),
    new SubjectAlternativeNameExtension(
      hosts.map((value) => ({ type: isIP(value) === 0 ? "dns" : "ip", value }) as const),
    ),
  ]);
}

interface Wish {
  readonly subject: string;
  readonly span: Span;
  readonly ca: SigningCa;
}

async function mint({ subject, span, ca }: Wish, extensions: readonly Extension[]): Promise<Minted> {
  const keys = await newKeys();
  const issuer = new X509Certificate(ca.certificate);
  const serial = newSerial();
  const cert = await X509CertificateGenerator.create({
    ...{ subject, issuer: issuer.subject, serialNumber: serial, publicKey: keys.publicKey },
    ...datesOf(span),
    signingKey: ca.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...extensions,
    ],
  });
  return { key: await keyToPem(keys.privateKey), cert: cert.toString("pem"), serial };
}

/** What is revoked, signed. It is good as long as the CA: an orchestrator that is away must not lock every sandbox out. */
export async function mintRevocations(
  entries: readonly { readonly serial: string; readonly revokedAtMs: number }[],
  nowMs: number,
  ca: SigningCa,
): Promise<string> {
  const issuer = new X509Certificate(ca.certificate);
  const list = await X509CrlGenerator.create({
    issuer: issuer.subject,
    thisUpdate: new Date(nowMs),
    nextUpdate: issuer.notAfter,
    entries: entries.map(({ serial, revokedAtMs }) => ({
      serialNumber: serial,
      revocationDate: new Date(revokedAtMs),
    })),
    signingAlgorithm: ALGORITHM,
    signingKey: ca.privateKey,
  });
  // The label that OpenSSL knows; the library has one of its own.
  return `${PemConverter.encode(list.rawData, "X509 CRL")}\n`;
}

export function fingerprintOf(certificate: string): string {
  const der = new X509Certificate(certificate).rawData;
  return createHash("sha256").update(Buffer.from(der)).digest("hex");
}

function datesOf({ fromMs, untilMs }: Span): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(fromMs), notAfter: new Date(untilMs) };
}

/** RFC 5280, 4.1.2.2: positive; the first bit is clear. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

async function newKeys(): Promise<KeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

async function keyToPem(key: KeyPair["privateKey"]): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}
