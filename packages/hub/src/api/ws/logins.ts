import type { Clock, Identity, Limits } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import type { Hub } from "../../hub/index.ts";
import type { FailedLogins, LastSeen, Tokens } from "../../identity/index.ts";
import type { Peer } from "../index.ts";
import { readTurn, Strangers } from "./strangers.ts";

interface LoginsOptions {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly failedLogins: FailedLogins;
  readonly lastSeen: LastSeen;
  readonly limits: Limits;
  readonly clock: Clock;
}

/** Logs connections in: each must show a token in time, and is closed when that token is revoked. */
export class Logins {
  readonly #hub: Hub;
  readonly #tokens: Tokens;
  readonly #failedLogins: FailedLogins;
  readonly #lastSeen: LastSeen;
  readonly #clock: Clock;
  readonly #loginMs: number;
  readonly #strangers: Strangers;
  readonly #byToken = new Map<string, Set<Peer>>();
  readonly #waiting = new WeakMap<Peer, () => void>();

  constructor({ hub, tokens, failedLogins, lastSeen, limits, clock }: LoginsOptions) {
    this.#hub = hub;
    this.#tokens = tokens;
    this.#failedLogins = failedLogins;
    this.#lastSeen = lastSeen;
    this.#clock = clock;
    this.#loginMs = limits.loginMs;
    this.#strangers = new Strangers(limits.strangersPerAddress, clock);
    tokens.onRevoked((id) => {
      for (const peer of this.#byToken.get(id) ?? []) peer.close(CLOSE.unauthorized, "the token was revoked");
    });
  }

  /** Starts the login deadline of a new connection. Calls `onHeard` when its first frame has come. */
  expect(peer: Peer, address: string, onHeard?: () => void): void {
    let isHeard = false;
    const deadline = this.#clock.after(this.#loginMs, async () => {
      await readTurn();
      if (!isHeard) peer.close(CLOSE.unauthorized, "no token in time");
    });
    this.#strangers.came(peer, address);
    this.#waiting.set(peer, () => {
      isHeard = true;
      onHeard?.();
      deadline.cancel();
      this.#strangers.left(peer, address);
    });
    peer.gone.addEventListener("abort", () => deadline.cancel());
  }

  /** Ends the login deadline. The first frame has come: it logs in, or is the last. */
  heard(peer: Peer): void {
    this.#waiting.get(peer)?.();
  }

  /** Returns the token's identity. Undefined: unknown token. "limited": too many failed attempts from this address. */
  attempt(token: string, address: string): Identity | "limited" | undefined {
    return this.#failedLogins.attempt(address, token, () => this.#tokens.identify(token));
  }

  /** Records who a connection belongs to, so that a revocation closes it. */
  loggedIn(peer: Peer, identity: Identity): void {
    const { id } = identity;
    this.#hub.presence.connected(identity, peer.gone);
    this.#lastSeen.connected(id, peer.gone);
    const peers = this.#byToken.get(id) ?? new Set();
    this.#byToken.set(id, peers.add(peer));
    peer.gone.addEventListener("abort", () => {
      peers.delete(peer);
      if (peers.size === 0 && this.#byToken.get(id) === peers) this.#byToken.delete(id);
    });
  }

  /** Whether this token has not been revoked since it was shown. */
  isLive(identity: Identity): boolean {
    return this.#tokens.isLive(identity);
  }
}
