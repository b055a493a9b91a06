import type { Clock, Limits } from "@countersign/core/base";
import type { Peer } from "@countersign/native";
import { type FrameRecord, type Recorded, type Store, StoreError } from "@countersign/store";
import { type Attribution, attribute, type RolesOf } from "./attribution.ts";
import type { Backpressure } from "./backpressure.ts";
import type { Frame } from "./frame.ts";
import { type FrameCode, FrameError } from "./frame-error.ts";
import { FrameTemplates } from "./frame-templates.ts";
import { Quotas } from "./quotas.ts";

type OnRecord = Exclude<Recorded, { readonly kind: "refused" }>;

/** What came of the frames since the start, by result. */
export type FrameCounts = ReadonlyMap<OnRecord["kind"] | FrameCode, number>;

/** Puts on record what other processes say, each in its own place. */
export class Recorder {
  readonly #store: Pick<Store, "record">;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #rolesOf: RolesOf;
  /** Where the hub is another process. */
  readonly #backpressure: Backpressure | undefined;
  readonly #quotas: Quotas;
  readonly #forms = new FrameTemplates();
  readonly #counts = new Map<OnRecord["kind"] | FrameCode, number>();
  /** Frames that nobody waits for and that couldn't be recorded, until the same emitter's next one tells of them. */
  readonly #lost = new Map<string, number>();

  constructor({
    store,
    clock,
    limits,
    rolesOf,
    backpressure,
  }: {
    readonly store: Pick<Store, "record">;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly rolesOf: RolesOf;
    readonly backpressure?: Backpressure | undefined;
  }) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#rolesOf = rolesOf;
    this.#backpressure = backpressure;
    this.#quotas = new Quotas({ clock, limits });
  }

  get counts(): FrameCounts {
    return this.#counts;
  }

  count(result: OnRecord["kind"] | FrameCode): void {
    this.#counts.set(result, (this.#counts.get(result) ?? 0) + 1);
  }

  /** Resolves once durable; rejects with FrameError. `bytes`: how long the frame was. */
  async record(frame: Frame, peer: Peer, bytes: number): Promise<OnRecord> {
    const attribution = attribute(frame, peer, this.#rolesOf);
    const lost = this.#takeLost(attribution.emitter);
    try {
      this.#quotas.take(peer.uid, bytes);
      const leave = this.#backpressure && (await this.#backpressure.enter(peer.uid, bytes));
      try {
        return await this.#keep(frame, { peer, attribution, lost });
      } finally {
        leave?.();
      }
    } catch (cause) {
      // Whoever waits for an answer counts its own losses.
      const ours = frame.ack ? 0 : 1 + (frame.drop_count ?? 0);
      this.#lost.set(attribution.emitter, (this.#lost.get(attribution.emitter) ?? 0) + lost + ours);
      throw cause;
    }
  }

  async #keep(
    frame: Frame,
    { peer, attribution, lost }: { peer: Peer; attribution: Attribution; lost: number },
  ): Promise<OnRecord> {
    const atMs = this.#clock.wallMs();
    const dropped = Math.min((frame.drop_count ?? 0) + lost, Number.MAX_SAFE_INTEGER);
    const record: FrameRecord = {
      emitter: attribution.emitter,
      chain: attribution.chain,
      atMs,
      idempotencyKey: frame.idempotency_key || null,
      receipts: this.#forms.receiptsOf({ frame, peer, attribution, atMs, dropped }),
      chainsPerDay: this.#limits.emitterChainsPerDay,
    };
    const recorded = await this.#store.record(record).catch(throwAsFrameError);
    if (recorded.kind === "refused") {
      throw new FrameError(
        "TOO_MANY_CHAINS",
        `${attribution.emitter} has begun too many chains today (limit: emitterChainsPerDay)`,
      );
    }
    // What was lost before a frame that is there already is still to be told.
    if (recorded.kind === "repeated" && lost > 0) {
      this.#lost.set(attribution.emitter, (this.#lost.get(attribution.emitter) ?? 0) + lost);
    }
    return recorded;
  }

  #takeLost(emitter: string): number {
    const lost = this.#lost.get(emitter) ?? 0;
    this.#lost.delete(emitter);
    return lost;
  }
}

function throwAsFrameError(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause;
  if (cause.code === "INVALID") throw new FrameError("INVALID_FRAME", cause.message, { cause });
  throw new FrameError("NOT_RECORDED", `The frame could not be recorded (${cause.code})`, { cause });
}
