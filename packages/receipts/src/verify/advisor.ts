import type { ReceiptFacts } from "./check-receipt.ts";
import { DuplicateWindow } from "./duplicate-window.ts";

/** Worth a look, and no fault: retries are legitimate, and a session may still be open. */
export interface Advisory {
  readonly code: "duplicate_idempotency_key" | "incomplete_session" | "incomplete_tool_roundtrip";
  /** The receipt that is repeated, or left without its end. */
  readonly index: number;
  readonly subject: string;
}

/** Remembered at once, of each kind. Past it the oldest are forgotten: advice may be incomplete, memory may not grow. */
const MAX_REMEMBERED = 10_000;
const MAX_ADVISORIES = 1_000;

/**
 * Pairs what belongs together, by correlator and within one chain: chains have different writers, and one of them must not be able to
 * end what another one has begun.
 */
export class Advisor {
  readonly #keys = new DuplicateWindow(MAX_REMEMBERED);
  readonly #sessions = new DuplicateWindow(MAX_REMEMBERED);
  readonly #actions = new DuplicateWindow(MAX_REMEMBERED);
  readonly #repeated = new DuplicateWindow(MAX_ADVISORIES);

  note(facts: ReceiptFacts, index: number, chainId = facts.chainId): void {
    const { idempotencyKey, correlationId, actionType, outcome } = facts;
    if (idempotencyKey !== null) this.#noteKey(within(chainId, idempotencyKey), index);
    if (correlationId === null) return;
    const correlator = within(chainId, correlationId);
    // One that was refused or denied has no end to wait for.
    if (actionType === "system.pty.open" && outcome === "success") this.#sessions.set(correlator, index);
    else if (actionType === "system.pty.close") this.#sessions.delete(correlator);
    if (outcome === "pending") this.#actions.set(correlator, index);
    else this.#actions.delete(correlator);
  }

  #noteKey(key: string, index: number): void {
    if (!this.#keys.has(key)) this.#keys.set(key, index);
    else if (!this.#repeated.has(key)) this.#repeated.set(key, index);
  }

  advisories(): Advisory[] {
    return [
      ...listed(this.#repeated, "duplicate_idempotency_key"),
      ...listed(this.#sessions, "incomplete_session"),
      ...listed(this.#actions, "incomplete_tool_roundtrip"),
    ].sort((one, other) => one.index - other.index);
  }
}

/** The chain's id first, with its length: no id can be made to look like another's id and correlator. */
function within(chainId: string, subject: string): string {
  return `${chainId.length}:${chainId}${subject}`;
}

function withoutChain(place: string): string {
  const colon = place.indexOf(":");
  return place.slice(colon + 1 + Number(place.slice(0, colon)));
}

function listed(places: DuplicateWindow, code: Advisory["code"]): Advisory[] {
  return places
    .entries()
    .slice(-MAX_ADVISORIES)
    .map(([place, index]) => ({ code, index, subject: withoutChain(place) }));
}
