import { Escapes } from "./escapes.ts";
import { PlainSecrets } from "./plain-secrets.ts";

/** Filters text that arrives in chunks, exactly as `filterSecrets` filters the whole of it; colours inside of a secret hide nothing. */
export class SecretsStream {
  readonly #secrets = new PlainSecrets();
  readonly #escapes = new Escapes();

  /** What can be told now. Give it whole characters: decode bytes with a StringDecoder. */
  push(chunk: string): string {
    return this.#escapes.putBack(this.#secrets.push(this.#escapes.takeOut(chunk, false)));
  }

  /** The rest. */
  end(chunk = ""): string {
    return this.#escapes.putBack(this.#secrets.end(this.#escapes.takeOut(chunk, true)));
  }
}
