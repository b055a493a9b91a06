import type { Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";

/** Approvals that wait or are about to, in all and by session: what the limits count. Identical ones count each. */
export class PendingCounts {
  readonly #limits: Limits;
  #inAll = 0;
  readonly #bySession = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Room for one more, or LIMIT. */
  reserve(sessionId: string): void {
    if (this.#inAll >= this.#limits.pending) {
      throw new HubError("LIMIT", `${this.#inAll} approvals are waiting already (limit: pending)`);
    }
    const own = this.#bySession.get(sessionId) ?? 0;
    if (own >= this.#limits.pendingPerSession) {
      throw new HubError("LIMIT", `This session has ${own} approvals waiting already (limit: pendingPerSession)`);
    }
    this.add(sessionId);
  }

  /** One that waits already, whatever the limits are. */
  add(sessionId: string): void {
    this.#count(sessionId, 1);
  }

  release(sessionId: string): void {
    this.#count(sessionId, -1);
  }

  #count(sessionId: string, by: 1 | -1): void {
    this.#inAll += by;
    const count = (this.#bySession.get(sessionId) ?? 0) + by;
    if (count > 0) this.#bySession.set(sessionId, count);
    else this.#bySession.delete(sessionId);
  }
}
