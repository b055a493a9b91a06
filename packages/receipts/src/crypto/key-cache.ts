import { equalBytes, toHex } from "./bytes.ts";

/** A verifier meets one key, or a few where it rotates; more than this are somebody's attempt to fill memory. */
const MAX_KEYS = 64;

/** Imported keys by their raw bytes: importing costs as much as a check. */
export class KeyCache<Key> {
  readonly #keys = new Map<string, Key>();
  /** Nearly every question is about the key of the question before. */
  #latest: { readonly raw: Uint8Array; readonly key: Key } | null = null;
  readonly #load: (raw: Uint8Array) => Key;

  constructor(load: (raw: Uint8Array) => Key) {
    this.#load = load;
  }

  get(raw: Uint8Array): Key {
    if (this.#latest !== null && equalBytes(this.#latest.raw, raw)) return this.#latest.key;
    const bytes = toHex(raw);
    if (!this.#keys.has(bytes) && this.#keys.size >= MAX_KEYS) this.#keys.clear();
    const key = this.#keys.get(bytes) ?? this.#load(raw);
    this.#keys.set(bytes, key);
    this.#latest = { raw: raw.slice(), key };
    return key;
  }
}
