import { CLOSE } from "@countersign/sdk";
import type { Peer } from "./peer.ts";

/**
 * Connections that haven't shown a token yet. Those of one address are few: else one of them could take every place. The one that waits
 * longest goes, not the newcomer: whoever has a token shows it at once, and nobody on the same machine can keep them out by waiting.
 */
export class Strangers {
  readonly #perAddress: number;
  readonly #waiting = new Map<string, Set<Peer>>();

  constructor(perAddress: number) {
    this.#perAddress = perAddress;
  }

  came(peer: Peer, address: string): void {
    const waiting = this.#waiting.get(address) ?? new Set();
    this.#waiting.set(address, waiting.add(peer));
    peer.gone.addEventListener("abort", () => this.left(peer, address), { once: true });
    if (waiting.size <= this.#perAddress) return;
    const [oldest] = waiting;
    if (oldest === undefined) return;
    this.left(oldest, address);
    oldest.close(CLOSE.rateLimited, "too many connections without a token (limit: strangersPerAddress)");
  }

  /** It has shown its token, or is gone. */
  left(peer: Peer, address: string): void {
    const waiting = this.#waiting.get(address);
    waiting?.delete(peer);
    if (waiting?.size === 0) this.#waiting.delete(address);
  }
}
