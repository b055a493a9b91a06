import { LedgerCheckpointAction } from "@countersign/protocol/proposals";
import { type ReadonlySignal, signal } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";
import type { Order, WitnessedHub } from "./worker/index.ts";
import { ask } from "./worker/index.ts";

export type MemoryState =
  | { readonly kind: "looking" }
  /** Nothing could be asked: nothing is known. */
  | { readonly kind: "failed"; readonly message: string }
  | ({ readonly kind: "looked" } & WitnessedHub);

const BETWEEN_LOOKS_MS = 2_000;

/**
 * Holds the hub's record against what this browser remembers of it: whenever the connection is back, and whenever there is a new checkpoint.
 * An alarm stays until somebody has found out why, and says so.
 */
export class RecordWatch {
  readonly #hub: PageHub;
  readonly #state = signal<MemoryState>({ kind: "looking" });
  #isLooking = false;
  /** There was a checkpoint that nobody has looked at. */
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

  /** A busy hub makes many: one look is enough for those of a while, and none where nobody sees it. */
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

  /** What the hub shows now is remembered instead. */
  forget(): void {
    this.#order("forget");
  }

  async #order(what: Extract<Order["do"], "witness" | "forget">): Promise<void> {
    if (this.#isLooking) {
      // What somebody wants forgotten isn't lost to another look.
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
