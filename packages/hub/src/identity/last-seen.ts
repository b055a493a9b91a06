import type { Clock, Log, Timer } from "@countersign/core/base";
import type { Store } from "@countersign/store";

const KEPT = "tokens.lastSeen";
/** A crash forgets no more than this. */
const KEEP_EVERY_MS = 60_000;

/** When each token was last used, and whether somebody is connected with it. For people to look at: nothing rests on it. */
export class LastSeen {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #atMs: Map<string, number>;
  readonly #connected = new Map<string, number>();
  #timer: Timer | undefined;

  private constructor(store: Store, clock: Clock, log: Log, kept: Record<string, unknown>) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#atMs = new Map(Object.entries(kept).filter((pair): pair is [string, number] => typeof pair[1] === "number"));
  }

  static async load(store: Store, clock: Clock, log: Log): Promise<LastSeen> {
    return new LastSeen(store, clock, log, Object(await store.setting(KEPT)) as Record<string, unknown>);
  }

  mark(tokenId: string): void {
    this.#atMs.set(tokenId, this.#clock.wallMs());
    this.#timer ??= this.#clock.after(KEEP_EVERY_MS, () => void this.#keep());
  }

  connected(tokenId: string, gone: AbortSignal): void {
    if (gone.aborted) return;
    this.#connected.set(tokenId, (this.#connected.get(tokenId) ?? 0) + 1);
    gone.addEventListener("abort", () => {
      const left = (this.#connected.get(tokenId) ?? 1) - 1;
      if (left > 0) this.#connected.set(tokenId, left);
      else this.#connected.delete(tokenId);
      this.mark(tokenId);
    });
  }

  of(tokenId: string): { readonly lastSeenAtMs: number | null; readonly connected: boolean } {
    return { lastSeenAtMs: this.#atMs.get(tokenId) ?? null, connected: this.#connected.has(tokenId) };
  }

  async close(): Promise<void> {
    if (this.#timer) await this.#keep();
  }

  async #keep(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#store
      .commit([{ op: "put-setting", key: KEPT, value: Object.fromEntries(this.#atMs) }])
      .catch((cause) => {
        this.#log.warn({ err: cause }, "when tokens were last used could not be kept");
      });
  }
}
