import "reflect-metadata";
import { X509Certificate as NodeCertificate, randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Clock, writeFileAtomically } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { isPrivateAddress, NAME_CONSTRAINTS_OID, privateNetworksOnly } from "./name-constraints.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 86_400_000;
const CA_DAYS = 3_650;
/** Phones reject certificates that are valid for longer. A hub makes a new one at each start. */
const LEAF_DAYS = 397;
/** Allows for phones whose clocks are slow. */
const BACKDATED_MS = DAY_MS;

type Key = Awaited<ReturnType<typeof crypto.subtle.generateKey>> & object;
type KeyPair = Extract<Key, { privateKey: unknown }>;

/** A certificate for one listener, in PEM. */
export interface Leaf {
  readonly cert: string;
  readonly key: string;
}

/** Our own certification authority, limited to addresses of private networks. */
export interface OwnCa {
  /** Certificate in PEM, for phones to trust. */
  readonly certificate: string;
  /** Its SHA-256 in hex with colons, as phones show it. */
  readonly fingerprint: string;
  issue(address: string): Promise<Leaf>;
}

/** Opens `keys/ca.key` and `keys/ca.crt`, and creates them at first use. Throws StartError if they can't be used. */
export async function openOwnCa(home: Home, clock: Clock): Promise<OwnCa> {
  const files = { key: join(home.keys, "ca.key"), cert: join(home.keys, "ca.crt") };
  try {
    if (!existsSync(files.key) || !existsSync(files.cert)) await makeCa(files, clock);
    chmodSync(files.key, 0o600);
    const privateKey = await readKey(readFileSync(files.key, "utf8"));
    const cert = new X509Certificate(readFileSync(files.cert, "utf8"));
    if (cert.notAfter.getTime() - clock.wallMs() < LEAF_DAYS * DAY_MS) throw new Error("it ends within the year");
    const certificate = cert.toString("pem");
    const { fingerprint256 } = new NodeCertificate(certificate);
    return {
      certificate,
      fingerprint: fingerprint256,
      issue: (address) => issue(address, { cert, privateKey, clock }),
    };
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy = `Remove ${files.key} and ${files.cert} to have new ones; phones have to trust those anew.`;
    throw new StartError("CONFIG_INVALID", `Our own CA can't be used (${why}). ${remedy}`, { cause });
  }
}

async function makeCa(files: { key: string; cert: string }, clock: Clock): Promise<void> {
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: `CN=Countersign on ${hostname().replaceAll(/[^\w.-]/g, "")}`,
    serialNumber: newSerial(),
    ...validFor(CA_DAYS, clock),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      new Extension(NAME_CONSTRAINTS_OID, true, privateNetworksOnly()),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  // The key first: a certificate without its key would be useless on phones.
  await writeFileAtomically(files.key, await keyToPem(keys.privateKey));
  await writeFileAtomically(files.cert, `${cert.toString("pem")}\n`);
}

async function issue(
  address: string,
  ca: { cert: X509Certificate; privateKey: KeyPair["privateKey"]; clock: Clock },
): Promise<Leaf> {
  if (!isPrivateAddress(address)) {
    const why = "our own CA vouches for addresses of private networks only";
    throw new StartError("PORT_REFUSED", `${address} needs a certificate of its own (--cert and --key): ${why}.`);
  }
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.create({
    subject: "CN=Countersign",
    issuer: ca.cert.subject,
    serialNumber: newSerial(),
    ...validFor(LEAF_DAYS, ca.clock),
    publicKey: keys.publicKey,
    signingKey: ca.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: "ip", value: address }]),
    ],
  });
  return { cert: `${cert.toString("pem")}\n${ca.cert.toString("pem")}\n`, key: await keyToPem(keys.privateKey) };
}

function validFor(days: number, clock: Clock): { notBefore: Date; notAfter: Date } {
  const nowMs = clock.wallMs();
  return { notBefore: new Date(nowMs - BACKDATED_MS), notAfter: new Date(nowMs - BACKDATED_MS + days * DAY_MS) };
}

/** RFC 5280, 4.1.2.2: positive, so the first bit is clear. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

async function newKeys(): Promise<KeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

async function keyToPem(key: KeyPair["privateKey"]): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

async function readKey(pem: string): Promise<KeyPair["privateKey"]> {
  return await crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), ALGORITHM, false, ["sign"]);
}
