import { fromBase64url, toBase64url } from "../errors/index.ts";

type Bytes = Uint8Array<ArrayBuffer>;
export type RelayKey = InstanceType<typeof CryptoKey>;

/** One side's ephemeral X25519 key: who later learns the token can't read what was said before. */
export interface RelayShare {
  readonly privateKey: RelayKey;
  /** base64url of the public half. Fresh for each handshake, it is also that side's nonce. */
  readonly share: string;
}

export interface RelayKeys {
  /** AES-256-GCM, one for each direction. */
  readonly clientToHub: RelayKey;
  readonly hubToClient: RelayKey;
  /** The hub shows with it that it knows the token's hash, before the client says anything. */
  readonly proof: RelayKey;
}

export interface Handshake {
  /** SHA-256 of the token: all that the hub keeps of it. */
  readonly secret: Bytes;
  readonly own: RelayShare;
  readonly clientShare: string;
  readonly hubShare: string;
  readonly clientId: string;
  readonly hubId: string;
}

const WELCOME = utf8("welcome");

export async function relaySecretOf(token: string): Promise<Bytes> {
  return await sha256(utf8(token));
}

/** By what the hub finds the secret. It names the token to the gateway, without saying anything else about it. */
export async function keyHintOf(secret: Bytes): Promise<string> {
  const digest = await sha256(join(utf8("countersign relay hint"), secret));
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** By what a gateway knows a device again while it is connected, so that a stranger doesn't take its place. */
export async function relayClaimOf(secret: Bytes, deviceId: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return await sign(key, utf8(JSON.stringify(["countersign relay claim", deviceId])));
}

export async function makeRelayShare(): Promise<RelayShare> {
  const pair = await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
  if (!("privateKey" in pair)) throw new TypeError("X25519 keys come in pairs");
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { privateKey: pair.privateKey, share: toBase64url(raw) };
}

/**
 * HKDF-SHA-256 (RFC 5869): ikm = secret || X25519(own, theirs), salt = clientShare || hubShare, info = purpose and both
 * device ids. Throws when the other's share is no public key, or one that makes the exchange the same for everyone.
 */
export async function deriveRelayKeys(handshake: Handshake): Promise<RelayKeys> {
  const { secret, own, clientShare, hubShare, clientId, hubId } = handshake;
  const theirs = fromBase64url(own.share === clientShare ? hubShare : clientShare);
  const publicKey = await crypto.subtle.importKey("raw", theirs, "X25519", false, []);
  const shared = await crypto.subtle.deriveBits({ name: "X25519", public: publicKey }, own.privateKey, 256);
  const ikm = await crypto.subtle.importKey("raw", join(secret, new Uint8Array(shared)), "HKDF", false, ["deriveKey"]);
  const salt = join(fromBase64url(clientShare), fromBase64url(hubShare));
  const hkdf = (purpose: string) => {
    const info = utf8(JSON.stringify(["countersign relay v1", purpose, clientId, hubId]));
    return { name: "HKDF", hash: "SHA-256", salt, info };
  };
  const cipher = { name: "AES-GCM", length: 256 };
  const mac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const [clientToHub, hubToClient, proof] = await Promise.all([
    crypto.subtle.deriveKey(hkdf("client to hub"), ikm, cipher, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveKey(hkdf("hub to client"), ikm, cipher, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveKey(hkdf("hub proof"), ikm, mac, false, ["sign", "verify"]),
  ]);
  return { clientToHub, hubToClient, proof };
}

export async function proveHub({ proof }: RelayKeys): Promise<string> {
  return await sign(proof, WELCOME);
}

export async function isHubProof({ proof }: RelayKeys, text: string): Promise<boolean> {
  return await crypto.subtle.verify("HMAC", proof, fromBase64url(text), WELCOME);
}

async function sign(key: RelayKey, bytes: Bytes): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes)));
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function join(first: Bytes, second: Bytes): Bytes {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
