import type { ReceiptFacts } from "./examine.ts";

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

type Places = Map<string, number>;

/** Pairs what belongs together, by correlator. */
export class Advisor {
  readonly #keys: Places = new Map();
  readonly #sessions: Places = new Map();
  readonly #actions: Places = new Map();
  readonly #repeated: Places = new Map();

  note(facts: ReceiptFacts, index: number): void {
    const { idempotencyKey, correlationId, actionType, outcome } = facts;
    if (idempotencyKey !== null) this.#noteKey(idempotencyKey, index);
    if (correlationId === null) return;
    if (actionType === "system.pty.open") remember(this.#sessions, correlationId, index);
    else if (actionType === "system.pty.close") this.#sessions.delete(correlationId);
    if (outcome === "pending") remember(this.#actions, correlationId, index);
    else this.#actions.delete(correlationId);
  }

  #noteKey(key: string, index: number): void {
    if (!this.#keys.has(key)) remember(this.#keys, key, index);
    else if (!this.#repeated.has(key) && this.#repeated.size < MAX_ADVISORIES) this.#repeated.set(key, index);
  }

  advisories(): Advisory[] {
    return [
      ...listed(this.#repeated, "duplicate_idempotency_key"),
      ...listed(this.#sessions, "incomplete_session"),
      ...listed(this.#actions, "incomplete_tool_roundtrip"),
    ].sort((one, other) => one.index - other.index);
  }
}

function remember(places: Places, subject: string, index: number): void {
  if (places.size >= MAX_REMEMBERED) {
    const [oldest] = places.keys();
    if (oldest !== undefined) places.delete(oldest);
  }
  places.set(subject, index);
}

function listed(places: Places, code: Advisory["code"]): Advisory[] {
  return Array.from(places, ([subject, index]) => ({ code, index, subject })).slice(0, MAX_ADVISORIES);
}
