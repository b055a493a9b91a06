import type { ReceiptCrypto, SignatureCheck } from "../crypto/index.ts";

/** Checks that may be under way at once: enough to keep every thread busy, few enough to hold in memory. */
const MAX_PENDING = 256;

/** Signature checks that answer now or later, and a brake on whoever asks faster than they are answered. */
export class Signatures {
  readonly #crypto: ReceiptCrypto;
  readonly #pending = new Set<Promise<void>>();
  #room: PromiseWithResolvers<void> | null = null;
  /** Not an answer but a failure of the crypto itself: there is no verdict without it. */
  #failure: { readonly cause: unknown } | null = null;

  constructor(crypto: ReceiptCrypto) {
    this.#crypto = crypto;
  }

  ask(check: SignatureCheck, answer: (isValid: boolean) => void): void {
    const verdict = this.#crypto.verify(check);
    if (typeof verdict === "boolean") answer(verdict);
    else this.await(verdict.then(answer));
  }

  /** Any other check that takes its time. */
  await(check: Promise<void>): void {
    const pending = check
      .catch((cause: unknown) => {
        this.#failure ??= { cause };
      })
      .finally(() => this.#done(pending));
    this.#pending.add(pending);
  }

  #done(pending: Promise<void>): void {
    this.#pending.delete(pending);
    if (this.#pending.size > MAX_PENDING / 2) return;
    this.#room?.resolve();
    this.#room = null;
  }

  /** A promise only when the caller should wait before it asks for more. */
  room(): Promise<void> | undefined {
    if (this.#pending.size < MAX_PENDING) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#failure !== null) throw new Error("signatures could not be checked", this.#failure);
  }
}
