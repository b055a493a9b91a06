import { writeText } from "../canonical/index.ts";
import { didUrlOfKey, SIGNATURE_BYTES, type Signer, utf8Bytes, writeBase64Url } from "../crypto/index.ts";
import type { UnsealedReceipt } from "./create.ts";
import { MAX_RECEIPT_BYTES, ReceiptError } from "./error.ts";

/** What of a receipt is signed, and what its proof repeats. */
interface Sealable extends Pick<UnsealedReceipt, "message" | "proofAt"> {
  readonly receipt: Pick<UnsealedReceipt["receipt"], "issuanceDate">;
}

const BEFORE_DATE = utf8Bytes(',"proof":{"created":');
const AFTER_DATE = utf8Bytes(',"proofPurpose":"assertionMethod","proofValue":"u');
/** Of 64 bytes, unpadded. */
const SIGNATURE_LETTERS = 86;

/** Signs receipts with one key and writes them as they are stored: canonical bytes, proof included. */
export class Sealer {
  readonly #signer: Signer;
  /** base58 is slow, and the key doesn't change. */
  readonly #afterSignature: Uint8Array;

  constructor(signer: Signer) {
    this.#signer = signer;
    const verificationMethod = writeText(didUrlOfKey(signer.publicKey));
    this.#afterSignature = utf8Bytes(`","type":"Ed25519Signature2020","verificationMethod":${verificationMethod}}`);
  }

  get publicKey(): Uint8Array {
    return this.#signer.publicKey;
  }

  async seal(unsealed: Sealable): Promise<Uint8Array> {
    return this.#write(unsealed, await this.#signer.sign(unsealed.message));
  }

  /** At once, for a caller inside a transaction. */
  sealNow(unsealed: Sealable): Uint8Array {
    return this.#write(unsealed, this.sign(unsealed.message));
  }

  /** The signature alone, at once; the signer must not answer later. */
  sign(message: Uint8Array): Uint8Array {
    const signature = this.#signer.sign(message);
    if (signature instanceof Promise) throw new TypeError("this signer doesn't sign at once");
    return signature;
  }

  /** How many bytes it takes when it is sealed. Throws ReceiptError for more than there may be. */
  sealedLength({ message, receipt }: Pick<Sealable, "message" | "receipt">): number {
    const signed = BEFORE_DATE.length + AFTER_DATE.length + SIGNATURE_LETTERS + this.#afterSignature.length;
    const length = message.length + writeText(receipt.issuanceDate).length + signed;
    if (length > MAX_RECEIPT_BYTES) throw new ReceiptError("OVERSIZE", `${length} bytes`);
    return length;
  }

  #write(unsealed: Sealable, signature: Uint8Array): Uint8Array {
    const into = new Uint8Array(this.sealedLength(unsealed));
    this.writeSigned(unsealed, signature, { into, at: 0 });
    return into;
  }

  /** `sealedLength` bytes from `at` on. The members of a proof in canonical order, as bytes: a text of them would have to be made first. */
  writeSigned({ message, proofAt, receipt }: Sealable, signature: Uint8Array, { into, at: from }: Target): void {
    if (signature.length !== SIGNATURE_BYTES) {
      throw new ReceiptError("INVALID_SIGNATURE", `the signer answered with ${signature.length} bytes`);
    }
    let at = from;
    const write = (bytes: Uint8Array) => {
      into.set(bytes, at);
      at += bytes.length;
    };
    write(message.subarray(0, proofAt));
    write(BEFORE_DATE);
    // Dates, keys and signatures are ASCII: a character is a byte.
    const date = writeText(receipt.issuanceDate);
    for (let index = 0; index < date.length; index += 1) into[at + index] = date.charCodeAt(index);
    at += date.length;
    write(AFTER_DATE);
    writeBase64Url(signature, into, at);
    at += SIGNATURE_LETTERS;
    write(this.#afterSignature);
    write(message.subarray(proofAt));
  }
}

interface Target {
  readonly into: Uint8Array;
  readonly at: number;
}
