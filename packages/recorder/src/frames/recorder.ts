import type { Clock, Limits } from "@countersign/core/base";
import type { Peer } from "@countersign/native";
import { type FrameRecord, type Recorded, type Store, StoreError } from "@countersign/store";
import type { Frame } from "./frame.ts";
import { type FrameCode, FrameError } from "./frame-error.ts";
import { FrameForms } from "./frame-forms.ts";
import type { HubPace } from "./hub-pace.ts";
import { type Place, placeOf, type RolesOf } from "./place.ts";
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
  readonly #pace: HubPace | undefined;
  readonly #quotas: Quotas;
  readonly #forms = new FrameForms();
  readonly #counts = new Map<OnRecord["kind"] | FrameCode, number>();
  /** Frames that nobody waits for and that couldn't be recorded, until the same emitter's next one tells of them. */
  readonly #lost = new Map<string, number>();

  constructor({
    store,
    clock,
    limits,
    rolesOf,
    pace,
  }: {
    readonly store: Pick<Store, "record">;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly rolesOf: RolesOf;
    readonly pace?: HubPace | undefined;
  }) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#rolesOf = rolesOf;
    this.#pace = pace;
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
    const place = placeOf(frame, peer, this.#rolesOf);
    const lost = this.#takeLost(place.emitter);
    try {
      this.#quotas.take(peer.uid, bytes);
      const leave = this.#pace && (await this.#pace.enter(peer.uid, bytes));
      try {
        return await this.#keep(frame, { peer, place, lost });
      } finally {
        leave?.();
      }
    } catch (cause) {
      // Whoever waits for an answer counts its own losses.
      const ours = frame.ack ? 0 : 1 + (frame.drop_count ?? 0);
      this.#lost.set(place.emitter, (this.#lost.get(place.emitter) ?? 0) + lost + ours);
      throw cause;
    }
  }

  async #keep(frame: Frame, { peer, place, lost }: { peer: Peer; place: Place; lost: number }): Promise<OnRecord> {
    const atMs = this.#clock.wallMs();
    const dropped = Math.min((frame.drop_count ?? 0) + lost, Number.MAX_SAFE_INTEGER);
    const record: FrameRecord = {
      emitter: place.emitter,
      chain: place.chain,
      atMs,
      idempotencyKey: frame.idempotency_key || null,
      receipts: this.#forms.receiptsOf({ frame, peer, place, atMs, dropped }),
      chainsPerDay: this.#limits.emitterChainsPerDay,
    };
    const recorded = await this.#store.record(record).catch(throwAsFrameError);
    if (recorded.kind === "refused") {
      throw new FrameError(
        "TOO_MANY_CHAINS",
        `${place.emitter} has begun too many chains today (limit: emitterChainsPerDay)`,
      );
    }
    // What was lost before a frame that is there already is still to be told.
    if (recorded.kind === "repeated" && lost > 0) {
      this.#lost.set(place.emitter, (this.#lost.get(place.emitter) ?? 0) + lost);
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
