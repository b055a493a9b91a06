import { writeText } from "../canonical/canonicalize.ts";
import { toBase64Url } from "../crypto/base64.ts";
import { writeUtf8 } from "../crypto/bytes.ts";
import { SIGNATURE_BYTES, type Signer } from "../crypto/port.ts";
import { didUrlOfKey } from "../keys/did-key.ts";
import type { UnsealedReceipt } from "./create.ts";
import { MAX_RECEIPT_BYTES, ReceiptError } from "./error.ts";

/** What of a receipt is signed, and what its proof repeats. */
interface Sealable extends Pick<UnsealedReceipt, "message" | "proofAt"> {
  readonly receipt: Pick<UnsealedReceipt["receipt"], "issuanceDate">;
}

/** Signs receipts with one key and writes them as they are stored: canonical bytes, proof included. */
export class Sealer {
  readonly #signer: Signer;
  /** base58 is slow, and the key doesn't change. */
  readonly #afterSignature: string;

  constructor(signer: Signer) {
    this.#signer = signer;
    const verificationMethod = writeText(didUrlOfKey(signer.publicKey));
    this.#afterSignature = `","type":"Ed25519Signature2020","verificationMethod":${verificationMethod}}`;
  }

  get publicKey(): Uint8Array {
    return this.#signer.publicKey;
  }

  async seal(unsealed: Sealable): Promise<Uint8Array> {
    return this.#write(unsealed, await this.#signer.sign(unsealed.message));
  }

  /** At once, for a caller inside a transaction; the signer must not answer later. */
  sealNow(unsealed: Sealable): Uint8Array {
    const signature = this.#signer.sign(unsealed.message);
    if (signature instanceof Promise) throw new TypeError("this signer doesn't sign at once");
    return this.#write(unsealed, signature);
  }

  /** The members of a proof in canonical order. */
  #write({ message, proofAt, receipt }: Sealable, signature: Uint8Array): Uint8Array {
    if (signature.length !== SIGNATURE_BYTES) {
      throw new ReceiptError("INVALID_SIGNATURE", `the signer answered with ${signature.length} bytes`);
    }
    // Dates, keys and signatures are ASCII: a character is a byte.
    const proof =
      `,"proof":{"created":${writeText(receipt.issuanceDate)},"proofPurpose":"assertionMethod",` +
      `"proofValue":"u${toBase64Url(signature)}${this.#afterSignature}`;
    const raw = new Uint8Array(message.length + proof.length);
    raw.set(message.subarray(0, proofAt));
    writeUtf8(proof, raw.subarray(proofAt));
    raw.set(message.subarray(proofAt), proofAt + proof.length);
    if (raw.length > MAX_RECEIPT_BYTES) throw new ReceiptError("OVERSIZE", `${raw.length} bytes`);
    return raw;
  }
}
