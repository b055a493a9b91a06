import { toHex } from "./bytes.ts";

/** A verifier meets one key, or a few where it rotates; more than this are somebody's attempt to fill memory. */
const MAX_KEYS = 64;

/** Imported keys by their raw bytes: importing costs as much as a check. */
export class KeyCache<Key> {
  readonly #keys = new Map<string, Key>();
  readonly #load: (raw: Uint8Array) => Key;

  constructor(load: (raw: Uint8Array) => Key) {
    this.#load = load;
  }

  get(raw: Uint8Array): Key {
    const bytes = toHex(raw);
    const known = this.#keys.get(bytes);
    if (known !== undefined) return known;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    const key = this.#load(raw);
    this.#keys.set(bytes, key);
    return key;
  }
}
