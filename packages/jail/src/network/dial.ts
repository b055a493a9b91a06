import type { Socket } from "node:net";
import type { Clock } from "@countersign/core/base";
import { checkFound, type Dialer, type Host, NEVER_NAMES, readHost } from "@countersign/core/network";
import { type NetworkRule, namesHost } from "./network-rule.ts";

export interface Target {
  readonly host: string;
  readonly port: number;
}

export type Dialled =
  | { readonly kind: "connected"; readonly socket: Socket }
  /** By the jail. */
  | { readonly kind: "refused"; readonly host: string; readonly reason: string }
  | { readonly kind: "failed" | "timed-out"; readonly reason: string };

/**
 * Connects to a target if the rule allows it. The name is looked up once, each address is checked, and the connection is
 * made to checked addresses only: what the name means a moment later doesn't matter. `gone` is aborted when nobody waits any more.
 */
export async function dial(
  target: Target,
  {
    rule,
    dialer,
    lookups,
    connectMs,
    clock,
    gone,
  }: {
    readonly rule: NetworkRule;
    readonly dialer: Dialer;
    readonly lookups: Lookups;
    readonly connectMs: number;
    readonly clock: Clock;
    readonly gone: AbortSignal;
  },
): Promise<Dialled> {
  const host = readHost(target.host);
  if (!host) return { kind: "refused", host: "?", reason: "that isn't a host name or an address" };
  const refused = refusalOf(host, rule);
  if (refused) return { kind: "refused", host: host.text, reason: refused };
  const late = new AbortController();
  const deadline = clock.after(connectMs, () => late.abort());
  try {
    return await dialHost(host, target.port, { rule, dialer, lookups, signal: AbortSignal.any([gone, late.signal]) });
  } catch (cause) {
    if (late.signal.aborted) return { kind: "timed-out", reason: `${host.text} didn't answer in time` };
    const { code } = cause as NodeJS.ErrnoException;
    return { kind: "failed", reason: `${host.text} can't be reached${code ? ` (${code})` : ""}` };
  } finally {
    deadline.cancel();
  }
}

/** By the name alone. */
function refusalOf(host: Host, rule: NetworkRule): string | undefined {
  if (!namesHost(rule, host)) return `${host.text} isn't among the hosts that this command may reach`;
  if (NEVER_NAMES.has(host.text) || host.text.endsWith(".localhost"))
    return `${host.text} is never reached from a jail`;
  return undefined;
}

async function dialHost(
  host: Host,
  port: number,
  {
    rule,
    dialer,
    lookups,
    signal,
  }: {
    readonly rule: NetworkRule;
    readonly dialer: Dialer;
    readonly lookups: Lookups;
    readonly signal: AbortSignal;
  },
): Promise<Dialled> {
  const found =
    host.kind === "address"
      ? [host.text]
      : await unlessAborted(
          signal,
          lookups.inTurn(signal, () => dialer.resolve(host.text)),
        );
  const { allowed, refused } = await unlessAborted(signal, checkFound(found, { dialer, ...rule }));
  if (allowed.length > 0)
    return { kind: "connected", socket: await whenConnected(dialer.connect(allowed, port), signal) };
  if (refused !== undefined) return { kind: "refused", host: host.text, reason: `${host.text} is ${refused}` };
  return { kind: "failed", reason: `${host.text} can't be reached (no route)` };
}

async function whenConnected(socket: Socket, signal: AbortSignal): Promise<Socket> {
  try {
    await unlessAborted(
      signal,
      new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.on("error", reject);
      }),
    );
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Asks for a target on behalf of a client. Never rejects; a client gets one answer. */
export type Reach = (client: Socket, target: Target) => Promise<Dialled>;

/** Lets a few through at a time, the others in order. */
export class Lookups {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Whoever has gone when its turn comes isn't served. */
  async inTurn<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      signal.throwIfAborted();
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
