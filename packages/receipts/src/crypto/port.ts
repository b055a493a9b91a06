/** One question to Ed25519: 32 bytes of key, 64 of signature. */
export interface SignatureCheck {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * All the crypto that reading and checking needs. A digest is asked for twice for each leaf of the tree, so it answers at
 * once; a signature may be checked elsewhere: on a pool of threads, by SubtleCrypto.
 */
export interface ReceiptCrypto {
  sha256(bytes: Uint8Array): Uint8Array;
  /** The same in lower-case hex, which is how receipts carry it, and which Node gives in half the time. A text stands for its UTF-8. */
  sha256Hex(bytes: Uint8Array | string): string;
  /** False for whatever isn't a valid signature, a key that is none included; it never throws because of its input. */
  verify(check: SignatureCheck): boolean | Promise<boolean>;
}

/** Holds a private key and shows only what it does with it. */
export interface Signer {
  /** 32 bytes, RFC 8032 5.1.5. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
