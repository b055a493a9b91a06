import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Timer } from "@countersign/core/base";
import { type Dialer, showAuthority } from "@countersign/core/network";
import { type Dialled, dial, Lookups, type Target } from "./dial.ts";
import { httpProxy } from "./http-proxy.ts";
import type { NetworkLimits } from "./network-limits.ts";
import type { NetworkRule } from "./network-rule.ts";
import { SOCKS_VERSION, serveSocks } from "./socks.ts";

export interface ProxyFacts {
  readonly dialer: Dialer;
  readonly limits: NetworkLimits;
  readonly clock: Clock;
  /** Connections of all proxies; each counts its own in and out. */
  readonly open: { connections: number };
}

/** What passed between a run and the world, in bytes. */
export interface Traffic {
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

interface Client {
  readonly gone: AbortController;
  /** Until the first request is whole. */
  readonly patience: Timer;
  asked: boolean;
}

/** The only way out of a network: serves one run by one rule. HTTP and SOCKS5 share the port; the first byte tells. */
export class JailProxy {
  readonly #rule: NetworkRule;
  readonly #facts: ProxyFacts;
  readonly #http: HttpServer;
  readonly #lookups: Lookups;
  readonly #refusals: Refusals;
  readonly #clients = new Map<Socket, Client>();
  readonly #upstreams = new Set<Socket>();
  #sentBytes = 0;
  #receivedBytes = 0;
  #closed = false;

  constructor(rule: NetworkRule, facts: ProxyFacts) {
    this.#rule = rule;
    this.#facts = facts;
    this.#http = httpProxy((client, target) => this.#reach(client, target), facts.limits.headerBytes);
    this.#lookups = new Lookups(facts.limits.lookupsPerRoom);
    this.#refusals = new Refusals(facts.limits.refusalsKept);
  }

  serve(client: Socket): void {
    const full = this.#whyFull();
    if (full !== undefined) {
      this.#refusals.add(`the jail refused a connection: too many at once (limit: ${full})`);
      client.destroy();
      return;
    }
    this.#welcome(client);
    client.once("data", (chunk: Buffer) => {
      client.pause();
      client.unshift(chunk);
      if (chunk[0] === SOCKS_VERSION) serveSocks(client, (asker, target) => this.#reach(asker, target));
      else this.#http.emit("connection", client);
      client.resume();
    });
  }

  refused(): readonly string[] {
    return this.#refusals.list();
  }

  traffic(): Traffic {
    const open = [...this.#upstreams];
    return {
      sentBytes: open.reduce((sum, { bytesWritten }) => sum + bytesWritten, this.#sentBytes),
      receivedBytes: open.reduce((sum, { bytesRead }) => sum + bytesRead, this.#receivedBytes),
    };
  }

  /** Cuts every connection. What comes later is cut at once. */
  close(): void {
    this.#closed = true;
    for (const socket of [...this.#clients.keys(), ...this.#upstreams]) socket.destroy();
  }

  #whyFull(): keyof NetworkLimits | undefined {
    const { limits, open } = this.#facts;
    if (this.#clients.size >= limits.connectionsPerRoom) return "connectionsPerRoom";
    return open.connections >= limits.connections ? "connections" : undefined;
  }

  #welcome(client: Socket): void {
    const { limits, clock, open } = this.#facts;
    const gone = new AbortController();
    const patience = clock.after(limits.firstRequestMs, () => client.destroy());
    this.#clients.set(client, { gone, patience, asked: false });
    open.connections++;
    // One side may end before the other, as with `nc -N`.
    client.allowHalfOpen = true;
    client.on("error", () => undefined);
    client.setTimeout(limits.idleMs, () => client.destroy());
    client.once("close", () => {
      gone.abort();
      patience.cancel();
      this.#clients.delete(client);
      open.connections--;
    });
  }

  async #reach(socket: Socket, target: Target): Promise<Dialled> {
    const client = this.#clients.get(socket);
    if (this.#closed || !client || client.asked) return { kind: "failed", reason: "one connection serves one target" };
    client.asked = true;
    client.patience.cancel();
    const { dialer, clock, limits } = this.#facts;
    const dialled = await dial(target, {
      ...{ rule: this.#rule, dialer, lookups: this.#lookups, connectMs: limits.connectMs, clock },
      gone: client.gone.signal,
    });
    if (dialled.kind === "connected") this.#track(dialled.socket);
    if (dialled.kind === "refused") {
      const wanted = showAuthority(dialled.host, target.port);
      this.#refusals.add(`the jail refused a connection to ${wanted}: ${dialled.reason}`);
    }
    return dialled;
  }

  #track(upstream: Socket): void {
    this.#upstreams.add(upstream);
    upstream.setTimeout(this.#facts.limits.idleMs, () => upstream.destroy());
    upstream.once("close", () => {
      this.#upstreams.delete(upstream);
      this.#sentBytes += upstream.bytesWritten;
      this.#receivedBytes += upstream.bytesRead;
    });
  }
}

/** What a network refused, for the outcome: each once, the first few, the rest counted. */
export class Refusals {
  readonly #kept = new Set<string>();
  readonly #most: number;
  #more = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(refusal: string): void {
    if (this.#kept.has(refusal)) return;
    if (this.#kept.size < this.#most) this.#kept.add(refusal);
    else this.#more++;
  }

  list(): string[] {
    return this.#more === 0 ? [...this.#kept] : [...this.#kept, `the jail refused ${this.#more} more connections`];
  }
}
