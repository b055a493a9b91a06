import type { Clock } from "../clock.ts";
import type { Identity } from "../identity.ts";
import type { Store } from "../store/store.ts";

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

  /** Holds from the moment of the call, before it is durable: stopping must not wait for a disk. */
  async pause(by: Identity): Promise<void> {
    if (this.#paused) return;
    const paused = { by: by.name, atMs: this.#clock.wallMs() };
    this.#paused = paused;
    await this.#record("paused", by, { ...paused });
  }

  /** Lifted only once that is durable. */
  async resume(by: Identity): Promise<void> {
    if (!this.#paused) return;
    await this.#record("resumed", by, null);
    this.#paused = null;
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
