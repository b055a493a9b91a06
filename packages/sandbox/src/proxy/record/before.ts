import type { Route } from "../../wire/index.ts";
import type { Decoded } from "../decode/index.ts";
import type { Headers } from "../http/index.ts";

/** A call that has been read, and that execd hasn't begun with. */
export interface ProposedCall {
  readonly route: Route;
  readonly decoded: Decoded;
  readonly headers: Headers;
  readonly correlationId: string;
  /** Aborted when the agent is gone: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface CallEnd {
  readonly exitCode?: number;
  /** Why it counts as failed. */
  readonly error?: string;
  /** Of a terminal that was opened. */
  readonly ptyId?: string;
}

export interface Permit {
  readonly kind: "permit";
  /** Told once, when it is known how the call ended. */
  readonly ended?: (end: CallEnd) => void;
}

/** Answered in execd's own shape, and recorded as denied. */
export interface Denial {
  readonly kind: "denial";
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** What stands between reading a call and passing it on. Without it, a call is passed on while it is read. */
export interface Gate {
  /** Whether the call has to wait: its head is known, its body isn't. */
  readonly holds: (route: Route) => boolean;
  /** Asked once for each call that waits. What it throws is a denial: nothing passes because a gate broke. */
  readonly before: (call: ProposedCall) => Promise<Permit | Denial>;
  /** A terminal's shell has ended by itself. */
  readonly ptyEnded?: (id: string, exitCode: number) => void;
  /** Told once, before the first call: how a gate that ends terminals itself has the proxy know. */
  readonly bind?: (terminals: OpenTerminals) => void;
  /** No call passes any more: what was given for a while is ended. The proxy waits for it. */
  readonly endTerminals?: () => Promise<void>;
}

/** The terminals that pass through the proxy, as a gate has to do with them. */
export interface OpenTerminals {
  /** execd has closed it because the gate asked it to: that is its end, and goes on record. */
  readonly closed: (id: string) => void;
  /** From now on nothing passes over its sockets, whatever execd does. */
  readonly cut: (id: string) => void;
}
