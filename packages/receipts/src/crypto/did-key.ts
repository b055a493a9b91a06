import { fromBase58, toBase58 } from "./base58.ts";
import { concatBytes } from "./bytes.ts";
import { PUBLIC_KEY_BYTES } from "./port.ts";

/** multicodec ed25519-pub (0xed) as a varint. */
const MULTICODEC = Uint8Array.of(0xed, 0x01);
const PREFIX = "did:key:";

/** did:key v0.7: multibase "z" (base58btc) over the multicodec prefix and the key. */
export function didOfKey(publicKey: Uint8Array): string {
  return `${PREFIX}${multibaseOf(publicKey)}`;
}

/** The DID URL of the document's one verification method, which is what a proof names. */
export function didUrlOfKey(publicKey: Uint8Array): string {
  return `${didOfKey(publicKey)}#${multibaseOf(publicKey)}`;
}

function multibaseOf(publicKey: Uint8Array): string {
  return `z${toBase58(concatBytes(MULTICODEC, publicKey))}`;
}

/** The key inside a did:key or its DID URL, whatever the fragment; null for another method, codec or length. */
export function keyOfDid(did: string): Uint8Array | null {
  const [identifier = ""] = did.split("#", 1);
  if (!identifier.startsWith(`${PREFIX}z`)) return null;
  const bytes = fromBase58(identifier.slice(PREFIX.length + 1));
  if (bytes?.length !== MULTICODEC.length + PUBLIC_KEY_BYTES) return null;
  return bytes[0] === MULTICODEC[0] && bytes[1] === MULTICODEC[1] ? bytes.slice(MULTICODEC.length) : null;
}

export function isDidKey(did: string): boolean {
  return did.startsWith(PREFIX);
}

export interface DidDocument {
  readonly "@context": readonly string[];
  readonly id: string;
  readonly verificationMethod: readonly {
    readonly id: string;
    readonly type: "Multikey";
    readonly controller: string;
    readonly publicKeyMultibase: string;
  }[];
  readonly authentication: readonly string[];
  readonly assertionMethod: readonly string[];
}

/** What a resolver would answer; made from the identifier alone, so nobody need be asked. */
export function didDocumentOfKey(publicKey: Uint8Array): DidDocument {
  const id = didOfKey(publicKey);
  const method = didUrlOfKey(publicKey);
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
    id,
    verificationMethod: [{ id: method, type: "Multikey", controller: id, publicKeyMultibase: multibaseOf(publicKey) }],
    authentication: [method],
    assertionMethod: [method],
  };
}
