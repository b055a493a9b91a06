import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import type { Peer } from "../index.ts";

/**
 * Time to show a token that every connection gets, even if there are too many: after a restart a thousand clients
 * connect at once.
 */
const GRACE_MS = 1_000;
/** Within that time this many times the limit may connect. */
const BURST = 8;

/**
 * Connections without a token yet, limited per address. Over the limit the oldest is closed, not the newest: real
 * clients show a token at once, so nobody can lock them out with idle connections.
 */
export class Strangers {
  readonly #perAddress: number;
  readonly #clock: Clock;
  /** Arrival times by address. */
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

  /** Call when it has shown its token or is gone. */
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

/** Resolves when the event loop has read every socket: a hub that was busy may not have read yet what came in time. */
export async function readTurn(): Promise<void> {
  await turn();
  // The first turn may have read the end of a handshake, with more data behind it.
  await turn();
}
