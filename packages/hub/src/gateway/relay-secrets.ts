import { sha256Hex } from "@countersign/core/base";
import { keyHintOf } from "@countersign/sdk";
import type { Store } from "@countersign/store";

type Secret = Uint8Array<ArrayBuffer>;

/** What the hub shares with each token's holder: the token's SHA-256, all that it keeps of it. */
export class RelaySecrets {
  readonly #store: Store;
  readonly #bootstrapHash: string;

  constructor(store: Store, bootstrapToken: string) {
    this.#store = store;
    this.#bootstrapHash = sha256Hex(bootstrapToken);
  }

  /**
   * Looks at every token whatever it finds, so that the time doesn't tell. One that is just being revoked may still be
   * found: its channel then fails at the login inside it.
   */
  async find(keyHint: string): Promise<Secret | undefined> {
    const records = await this.#store.tokens();
    const hashes = records.filter(({ revokedAtMs }) => revokedAtMs === null).map(({ hash }) => hash);
    const secrets = [this.#bootstrapHash, ...hashes].map((hash) => new Uint8Array(Buffer.from(hash, "hex")));
    const hints = await Promise.all(secrets.map((secret) => keyHintOf(secret)));
    return secrets[hints.indexOf(keyHint)];
  }
}
