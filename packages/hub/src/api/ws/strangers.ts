import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import type { Peer } from "../index.ts";

/** How long each may take to show a token, also when there are too many: a thousand clients come at once after a restart. */
const GRACE_MS = 1_000;
/** So many times the limit may be there for as long as that. */
const BURST = 8;

/**
 * Connections that haven't shown a token yet. Those of one address are few: else one of them could take every place. The one that waits
 * longest goes, not the newcomer: whoever has a token shows it at once, and nobody on the same machine can keep them out by waiting.
 */
export class Strangers {
  readonly #perAddress: number;
  readonly #clock: Clock;
  /** By address, each with the time it came. */
  readonly #waiting = new Map<string, Map<Peer, number>>();
  readonly #thinning = new Set<string>();

  constructor(perAddress: number, clock: Clock) {
    this.#perAddress = perAddress;
    this.#clock = clock;
  }

  came(peer: Peer, address: string): void {
    const waiting = this.#waiting.get(address) ?? new Map<Peer, number>();
    this.#waiting.set(address, waiting.set(peer, this.#clock.monotonicMs()));
    peer.gone.addEventListener("abort", () => this.left(peer, address), { once: true });
    if (waiting.size > this.#perAddress * BURST) this.#sendAway(address);
    this.#thinOut(address);
  }

  /** It has shown its token, or is gone. */
  left(peer: Peer, address: string): void {
    const waiting = this.#waiting.get(address);
    waiting?.delete(peer);
    if (waiting?.size === 0) this.#waiting.delete(address);
  }

  #thinOut(address: string): void {
    const waiting = this.#waiting.get(address);
    const [oldestMs] = waiting?.values() ?? [];
    if (!waiting || oldestMs === undefined || waiting.size <= this.#perAddress || this.#thinning.has(address)) return;
    this.#thinning.add(address);
    const nowMs = this.#clock.monotonicMs();
    this.#clock.after(Math.max(0, oldestMs + GRACE_MS - nowMs), async () => {
      await readTurn();
      this.#thinning.delete(address);
      const atMs = this.#clock.monotonicMs();
      for (const [, cameMs] of this.#waiting.get(address) ?? []) {
        if ((this.#waiting.get(address)?.size ?? 0) <= this.#perAddress || cameMs + GRACE_MS > atMs) break;
        this.#sendAway(address);
      }
      this.#thinOut(address);
    });
  }

  #sendAway(address: string): void {
    const [oldest] = this.#waiting.get(address)?.keys() ?? [];
    if (oldest === undefined) return;
    this.left(oldest, address);
    oldest.close(CLOSE.rateLimited, "too many connections without a token (limit: strangersPerAddress)");
  }
}

/** Resolves when the event loop has read every socket: a hub that was busy has yet to read what came in time. */
export async function readTurn(): Promise<void> {
  await turn();
  // What was read may have been the end of a handshake, with more behind it.
  await turn();
}
