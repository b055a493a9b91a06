import type { Clock, Identity } from "@countersign/core/base";
import { type Store, StoreError } from "@countersign/store";

const KEY = "paused";

export interface Paused {
  readonly by: string;
  readonly atMs: number;
}

/** The switch that stops everything. Durable: a restart doesn't lift it. */
export class Pause {
  readonly #store: Store;
  readonly #clock: Clock;
  #paused: Paused | null;
  /** Who paused, while that couldn't be recorded. */
  #unrecorded: Identity | undefined;

  private constructor(store: Store, clock: Clock, paused: Paused | null) {
    this.#store = store;
    this.#clock = clock;
    this.#paused = paused;
  }

  static async load(store: Store, clock: Clock): Promise<Pause> {
    return new Pause(store, clock, ((await store.setting(KEY)) as unknown as Paused | undefined) ?? null);
  }

  get state(): Paused | null {
    return this.#paused;
  }

  get isPaused(): boolean {
    return this.#paused !== null;
  }

  /**
   * Holds from the moment of the call, before it is durable: stopping must not wait for a disk. Rejects if it can't be recorded; it
   * holds all the same, until the hub ends.
   */
  async pause(by: Identity): Promise<void> {
    if (this.#paused && !this.#unrecorded) return;
    this.#paused ??= { by: by.name, atMs: this.#clock.wallMs() };
    this.#unrecorded = undefined;
    try {
      await this.#record("paused", by, { ...this.#paused });
    } catch (cause) {
      // What is only unconfirmed goes on record by itself.
      if (!(cause instanceof StoreError && cause.code === "UNCONFIRMED")) this.#unrecorded = by;
      throw cause;
    }
  }

  /** Records a pause that couldn't be recorded when it was made. */
  async settle(): Promise<void> {
    if (this.#unrecorded) await this.pause(this.#unrecorded);
  }

  /** Lifted only once that is durable. */
  async resume(by: Identity): Promise<void> {
    if (!this.#paused) return;
    await this.#record("resumed", by, null);
    this.#paused = null;
    this.#unrecorded = undefined;
  }

  async #record(type: "paused" | "resumed", by: Identity, value: { by: string; atMs: number } | null): Promise<void> {
    await this.#store.commit([
      { op: "put-setting", key: KEY, value },
      {
        op: "append",
        draft: { type, sessionId: null, proposalKey: null, atMs: this.#clock.wallMs(), body: { person: by.name } },
      },
    ]);
  }
}
/** What keeps a proposal from running: everything is paused, or only its session is, after too many denials. */
export type PausedBy = "hub" | "session";

export const PAUSED: Record<PausedBy, { readonly name: string; readonly reason: string; readonly remedy: string }> = {
  hub: {
    name: "Countersign",
    reason: "Countersign is paused",
    remedy: "Countersign is paused: resume before you allow anything, or deny it.",
  },
  session: {
    name: "The session",
    reason: "This session is paused: too much of it was denied, and nobody has let it go on yet",
    remedy: "This session is paused after too many denials: resume it before you allow anything of it, or deny it.",
  },
};
