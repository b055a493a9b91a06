import { LedgerCheckpointAction } from "@countersign/protocol/proposals";
import { type ReadonlySignal, signal } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";
import type { Order, WitnessedHub } from "./worker/index.ts";
import { ask } from "./worker/index.ts";

export type MemoryState =
  | { readonly kind: "looking" }
  /** The comparison failed: nothing is known. */
  | { readonly kind: "failed"; readonly message: string }
  | ({ readonly kind: "looked" } & WitnessedHub);

const BETWEEN_LOOKS_MS = 2_000;

/**
 * Compares the hub's record with what this browser remembers, on every connection and after every checkpoint. An alarm stays until a person
 * dismisses it.
 */
export class RecordWatch {
  readonly #hub: PageHub;
  readonly #state = signal<MemoryState>({ kind: "looking" });
  #isLooking = false;
  /** A checkpoint hasn't been compared yet. */
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #again: "witness" | "forget" | undefined;

  constructor(hub: PageHub) {
    this.#hub = hub;
    hub.state.subscribe((state) => {
      if (state === "live") this.look();
    });
    hub.onMessage(({ action }) => {
      if (action === LedgerCheckpointAction) this.#lookSoon();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#isDue) this.#lookSoon();
    });
  }

  get state(): ReadonlySignal<MemoryState> {
    return this.#state;
  }

  /** Limits the rate, since a busy hub makes many checkpoints. Waits while the page is hidden. */
  #lookSoon(): void {
    this.#isDue = true;
    if (document.hidden || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (document.hidden) return;
      this.#isDue = false;
      this.look();
    }, BETWEEN_LOOKS_MS);
  }

  look(): void {
    this.#order("witness");
  }

  /** Forgets the remembered record and remembers the current one. */
  forget(): void {
    this.#order("forget");
  }

  async #order(what: Extract<Order["do"], "witness" | "forget">): Promise<void> {
    if (this.#isLooking) {
      // A requested `forget` isn't lost to another comparison.
      if (this.#again !== "forget") this.#again = what;
      return;
    }
    this.#isLooking = true;
    const answer = await ask({ do: what, hub: this.#hub.device }).answer;
    this.#isLooking = false;
    if (answer.kind === "witnessed") this.#state.value = { kind: "looked", ...answer.witnessed };
    else if (answer.kind === "failed" && this.#state.value.kind !== "looked") this.#state.value = answer;
    const again = this.#again;
    this.#again = undefined;
    if (again !== undefined) await this.#order(again);
  }
}

const memories = new WeakMap<PageHub, RecordWatch>();

export function recordWatchOf(hub: PageHub): RecordWatch {
  const known = memories.get(hub);
  if (known !== undefined) return known;
  const made = new RecordWatch(hub);
  memories.set(hub, made);
  return made;
}
