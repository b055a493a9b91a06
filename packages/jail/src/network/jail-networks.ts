import type { Clock, Log } from "@countersign/core/base";
import { type Dialer, systemDialer } from "@countersign/core/network";
import { JailError } from "../base/index.ts";
import { JailProxy, type Traffic } from "./jail-proxy.ts";
import { DEFAULT_NETWORK_LIMITS, type NetworkLimits } from "./network-limits.ts";
import { makeNetworkNamespace, type NetworkNamespace } from "./network-namespace.ts";
import type { NetworkRule } from "./network-rule.ts";
import { PROXY_ENV } from "./proxy-env.ts";

/** A private network for one run, with a proxy as the only way out. */
export interface JailNetwork {
  /** Paths for nsenter, valid until the network is closed. With `user`, nsenter needs `--preserve-credentials`. */
  readonly namespaces: { readonly net: string; readonly user?: string };
  /** What the run's environment must have. */
  readonly env: Readonly<Record<string, string>>;
  /** What it refused, for the outcome: "the jail refused a connection to x.io:443: …". */
  refused(): readonly string[];
  traffic(): Traffic;
  /** Cuts what is connected. A process that is still inside reaches nobody any more. */
  close(): Promise<void>;
}

export interface JailNetworksOptions {
  /** bubblewrap's absolute path. */
  readonly bwrap: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: NetworkLimits;
  readonly dialer?: Dialer;
}

/**
 * Makes networks. Each is used once: a process can hand a socket of its network to another run through the workspace, and what
 * is bound to a network that nobody uses again is worth nothing. After the first use one is kept ready.
 */
export class JailNetworks {
  readonly #facts: Required<JailNetworksOptions>;
  readonly #open = new Set<JailNetwork>();
  readonly #connections = { connections: 0 };
  readonly #holders = new Set<Promise<unknown>>();
  #opening = 0;
  #spare: Promise<NetworkNamespace> | undefined;
  #closed = false;

  constructor(facts: JailNetworksOptions) {
    this.#facts = { limits: DEFAULT_NETWORK_LIMITS, dialer: systemDialer, ...facts };
  }

  /** Throws JailError. */
  async open(rule: NetworkRule): Promise<JailNetwork> {
    const { limits } = this.#facts;
    if (this.#closed) throw new JailError("CLOSED", "The hub is closing");
    if (this.#open.size + this.#opening >= limits.rooms)
      throw new JailError("TOO_MANY_ROOMS", `${limits.rooms} networks for jails are in use (limit: rooms)`);
    this.#opening++;
    try {
      const held = await (this.#takeSpare() ?? this.#make());
      if (!this.#closed) {
        // Later: starting a process holds this one up, and somebody waits.
        setImmediate(() => this.#keepSpare());
        return this.#furnish(held, rule);
      }
      held.release();
      throw new JailError("CLOSED", "The hub is closing");
    } finally {
      this.#opening--;
    }
  }

  /** Closes every network, and waits for the processes that make them. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const network of this.#open) await network.close();
    const spare = this.#takeSpare();
    void spare?.then(
      (held) => held.release(),
      () => undefined,
    );
    await Promise.all(this.#holders);
  }

  #takeSpare(): Promise<NetworkNamespace> | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  #keepSpare(): void {
    if (this.#spare || this.#closed) return;
    const spare = this.#make();
    this.#spare = spare;
    spare.catch((cause: unknown) => {
      this.#facts.log.warn({ err: cause }, "no spare network could be made");
      if (this.#spare === spare) this.#spare = undefined;
    });
  }

  #make(): Promise<NetworkNamespace> {
    const { bwrap, clock, limits } = this.#facts;
    const made = makeNetworkNamespace({ bwrap, clock, timeoutMs: limits.holderMs });
    const ended = made.then(
      (held) => held.holderEnded,
      () => undefined,
    );
    this.#holders.add(ended);
    void ended.then(() => this.#holders.delete(ended));
    return made;
  }

  #furnish(held: NetworkNamespace, rule: NetworkRule): JailNetwork {
    const proxy = new JailProxy(rule, { ...this.#facts, open: this.#connections });
    held.server.on("connection", (socket) => proxy.serve(socket));
    // Accepting fails when the hub has no descriptor left.
    held.server.on("error", (cause) => this.#facts.log.warn({ err: cause }, "a jail's connection wasn't accepted"));
    const network: JailNetwork = {
      namespaces: held.namespaces,
      env: PROXY_ENV,
      refused: () => proxy.refused(),
      traffic: () => proxy.traffic(),
      close: async () => {
        if (!this.#open.delete(network)) return;
        held.release();
        proxy.close();
      },
    };
    this.#open.add(network);
    return network;
  }
}
