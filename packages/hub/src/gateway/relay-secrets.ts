import { sha256Hex } from "@countersign/core/base";
import { keyHintOf } from "@countersign/sdk";
import type { Store } from "@countersign/store";

type Secret = Uint8Array<ArrayBuffer>;

/** Secrets shared with the holders of tokens: each is the token's SHA-256, which is all the hub stores of it. */
export class RelaySecrets {
  readonly #store: Store;
  readonly #bootstrapHash: string;

  constructor(store: Store, bootstrapToken: string) {
    this.#store = store;
    this.#bootstrapHash = sha256Hex(bootstrapToken);
  }

  /**
   * Checks every token in any case, so that the time reveals nothing. A token that is being revoked may still be found;
   * its channel fails at the login.
   */
  async find(keyHint: string): Promise<Secret | undefined> {
    const records = await this.#store.tokens();
    const hashes = records.filter(({ revokedAtMs }) => revokedAtMs === null).map(({ hash }) => hash);
    const secrets = [this.#bootstrapHash, ...hashes].map((hash) => new Uint8Array(Buffer.from(hash, "hex")));
    const hints = await Promise.all(secrets.map((secret) => keyHintOf(secret)));
    return secrets[hints.indexOf(keyHint)];
  }
}
