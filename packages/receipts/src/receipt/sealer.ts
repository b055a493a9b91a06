import { canonicalize } from "../canonical/canonicalize.ts";
import { toBase64Url } from "../crypto/base64.ts";
import { utf8Bytes } from "../crypto/bytes.ts";
import { SIGNATURE_BYTES, type Signer } from "../crypto/port.ts";
import { didUrlOfKey } from "../keys/did-key.ts";
import { wholeText } from "./canonical-receipt.ts";
import type { UnsealedReceipt } from "./create.ts";
import { MAX_RECEIPT_BYTES, ReceiptError } from "./error.ts";

/** Signs receipts with one key and writes them as they are stored: canonical bytes, proof included. */
export class Sealer {
  readonly #signer: Signer;
  /** base58 is slow, and the key doesn't change. */
  readonly #verificationMethod: string;

  constructor(signer: Signer) {
    this.#signer = signer;
    this.#verificationMethod = didUrlOfKey(signer.publicKey);
  }

  get publicKey(): Uint8Array {
    return this.#signer.publicKey;
  }

  async seal(unsealed: UnsealedReceipt): Promise<Uint8Array> {
    return this.#write(unsealed, await this.#signer.sign(unsealed.message));
  }

  #write({ text, receipt }: UnsealedReceipt, signature: Uint8Array): Uint8Array {
    if (signature.length !== SIGNATURE_BYTES) {
      throw new ReceiptError("INVALID_SIGNATURE", `the signer answered with ${signature.length} bytes`);
    }
    const proof = canonicalize({
      type: "Ed25519Signature2020",
      created: receipt.issuanceDate,
      verificationMethod: this.#verificationMethod,
      proofPurpose: "assertionMethod",
      proofValue: `u${toBase64Url(signature)}`,
    });
    const raw = utf8Bytes(wholeText({ ...text, proof: `,"proof":${proof}` }));
    if (raw.length > MAX_RECEIPT_BYTES) throw new ReceiptError("OVERSIZE", `${raw.length} bytes`);
    return raw;
  }
}
