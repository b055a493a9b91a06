import type { Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { ChatEvent } from "@countersign/protocol/hub";
import type { Chats } from "../../agent/index.ts";
import type { Peer } from "../index.ts";

/** The sessions that one connection listens to until it ends. */
export class ChatSubscriptions {
  readonly #peer: Peer;
  readonly #chats: Chats;
  readonly #limits: Limits;
  readonly #stops = new Map<string, () => void>();

  constructor(peer: Peer, chats: Chats, limits: Limits) {
    this.#peer = peer;
    this.#chats = chats;
    this.#limits = limits;
    peer.gone.addEventListener("abort", () => {
      for (const stop of this.#stops.values()) stop();
    });
  }

  /** Listens from now on. A second call does nothing. The caller has checked that this identity may listen. */
  listen(sessionKey: string): void {
    if (this.#stops.has(sessionKey) || this.#peer.gone.aborted) return;
    this.refuseIfFull(sessionKey);
    const stop = this.#chats.listen(sessionKey, (event: ChatEvent) => this.#peer.send(event));
    this.#stops.set(sessionKey, stop);
  }

  refuseIfFull(sessionKey: string): void {
    if (this.#stops.has(sessionKey) || this.#stops.size < this.#limits.chatsPerConnection) return;
    throw new HubError("LIMIT", `${this.#stops.size} sessions are listened to (limit: chatsPerConnection)`);
  }
}
