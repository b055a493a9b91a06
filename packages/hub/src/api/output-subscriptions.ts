import { setImmediate as turn } from "node:timers/promises";
import type { Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { ExecOutput, ExecOutputEnded } from "@countersign/protocol/proposals";
import type { Feed, Followers } from "../pipeline/index.ts";
import type { Peer } from "./peer.ts";

interface OutputSubscriptionsOptions {
  readonly followers: Followers;
  readonly limits: Limits;
  /** Sends an event in the connection's dialect. False if it couldn't be sent. */
  output(event: ExecOutput): boolean;
  ended(end: ExecOutputEnded): void;
  failed(cause: unknown): void;
}

/** The outputs that one connection follows. Each is sent no faster than it is read. */
export class OutputSubscriptions {
  readonly #peer: Peer;
  readonly #followers: Followers;
  readonly #limits: Limits;
  readonly #output: (event: ExecOutput) => boolean;
  readonly #ended: (end: ExecOutputEnded) => void;
  readonly #failed: (cause: unknown) => void;
  readonly #stops = new Map<string, AbortController>();

  constructor(peer: Peer, options: OutputSubscriptionsOptions) {
    this.#peer = peer;
    this.#followers = options.followers;
    this.#limits = options.limits;
    this.#output = options.output;
    this.#ended = options.ended;
    this.#failed = options.failed;
    peer.gone.addEventListener("abort", () => {
      for (const stop of this.#stops.values()) stop.abort();
    });
  }

  /** Follows an output from a position. A second call with the same id replaces the first. */
  async follow(proposalId: string, after: string | undefined, identity: Identity): Promise<void> {
    if (!this.#stops.has(proposalId) && this.#stops.size >= this.#limits.followsPerConnection) {
      throw new HubError("LIMIT", `${this.#stops.size} outputs are followed already (limit: followsPerConnection)`);
    }
    const stop = new AbortController();
    const feed = await this.#followers.follow(proposalId, identity, { after, signal: stop.signal });
    this.unfollow(proposalId);
    if (this.#peer.gone.aborted) return;
    this.#stops.set(proposalId, stop);
    this.#send(proposalId, feed, stop).catch((cause) => this.#failed(cause));
  }

  unfollow(proposalId: string): void {
    this.#stops.get(proposalId)?.abort();
    this.#stops.delete(proposalId);
  }

  async #send(proposalId: string, { events, outcome }: Feed, { signal }: AbortController): Promise<void> {
    // Waits until the request has been answered.
    await turn();
    for await (const event of events) {
      if (signal.aborted || !this.#output({ proposalId, ...event })) return;
      await this.#peer.drained();
    }
    if (signal.aborted) return;
    this.#stops.delete(proposalId);
    const known = outcome();
    this.#ended({ proposalId, ...(known ? { outcome: known } : {}) });
  }
}
