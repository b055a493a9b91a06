/** A way to call somebody, and when it is their turn. */
export interface Tier {
  readonly name: string;
  /** How long something waits before this one is called. */
  readonly afterMs: number;
  /** Between one call and the next: what comes meanwhile is told in that one. */
  readonly againMs: number;
}

export type Act =
  /** All that waits, in one. Without `alert` what was told is only put right. */
  | { readonly kind: "raise"; readonly tier: string; readonly ids: readonly string[]; readonly alert: boolean }
  /** Everything that was told there has been answered, or is over. */
  | { readonly kind: "withdraw"; readonly tier: string };

export interface Due {
  readonly acts: readonly Act[];
  /** When to look again, unless something happens before. */
  readonly nextMs: number | undefined;
}

/** Answers come in bursts, too. */
export const SETTLE_MS = 1_000;

interface TierState {
  /** Waits, and wasn't told here; the oldest first. */
  readonly fresh: Set<string>;
  /** Was told here, and still waits. */
  readonly announced: Set<string>;
  shown: boolean;
  alertedMs: number;
  /** Since when what is shown isn't right any more. */
  changedMs: number | undefined;
}

/**
 * Who is called about what waits, and when: a tier after the other as long as nobody answers, each once for a burst, and nobody
 * while somebody looks. Pure: it has no clock and does nothing; it says what is to be done.
 */
export class NotificationSchedule {
  /** By id: since when it waits; the oldest first. */
  readonly #waiting = new Map<string, number>();
  readonly #tiers = new Map<string, TierState>();
  #looking = false;
  /** Nobody is called for what was in plain view until then. */
  #lookedUntilMs = Number.NEGATIVE_INFINITY;

  asked(id: string, nowMs: number): void {
    if (this.#waiting.has(id)) return;
    this.#waiting.set(id, nowMs);
    for (const state of this.#tiers.values()) state.fresh.add(id);
  }

  closed(id: string, nowMs: number): void {
    if (!this.#waiting.delete(id)) return;
    for (const state of this.#tiers.values()) {
      state.fresh.delete(id);
      if (state.announced.delete(id)) state.changedMs ??= nowMs;
    }
  }

  /** Until when somebody was seen to look, which may be known only later. */
  looking(looking: boolean, untilMs: number): void {
    this.#looking = looking;
    this.#lookedUntilMs = Math.max(this.#lookedUntilMs, untilMs);
  }

  /** What is due now. `tiers` may be others than the last time. */
  due(tiers: readonly Tier[], nowMs: number): Due {
    for (const name of this.#tiers.keys()) if (!tiers.some((tier) => tier.name === name)) this.#tiers.delete(name);
    const acts: Act[] = [];
    let nextMs: number | undefined;
    for (const tier of tiers) {
      const state = this.#stateOf(tier.name);
      const act = this.#actOn(tier, state, nowMs);
      if (act) acts.push(act);
      for (const dueMs of [this.#alertMs(tier, state), settledMs(state)])
        if (dueMs !== undefined && (nextMs === undefined || dueMs < nextMs)) nextMs = dueMs;
    }
    return { acts, nextMs };
  }

  #actOn({ name, ...times }: Tier, state: TierState, nowMs: number): Act | undefined {
    const alertMs = this.#alertMs({ name, ...times }, state);
    if (alertMs !== undefined && alertMs <= nowMs) {
      // Also what isn't due by itself yet: better now with the others than soon alone.
      const ids = [...this.#waiting.keys()];
      for (const id of ids) state.announced.add(id);
      state.fresh.clear();
      state.shown = true;
      state.alertedMs = nowMs;
      state.changedMs = undefined;
      return { kind: "raise", tier: name, ids, alert: true };
    }
    if (state.shown && state.announced.size === 0) {
      state.shown = false;
      state.changedMs = undefined;
      return { kind: "withdraw", tier: name };
    }
    const dueMs = settledMs(state);
    if (dueMs === undefined || dueMs > nowMs) return undefined;
    state.changedMs = undefined;
    return { kind: "raise", tier: name, ids: [...state.announced], alert: false };
  }

  /** When this one is called next. */
  #alertMs({ afterMs, againMs }: Tier, { fresh, alertedMs }: TierState): number | undefined {
    const [oldest] = fresh;
    if (oldest === undefined || this.#looking) return undefined;
    const sinceMs = Math.max(this.#waiting.get(oldest) as number, this.#lookedUntilMs);
    return Math.max(sinceMs + afterMs, alertedMs + againMs);
  }

  #stateOf(name: string): TierState {
    const known = this.#tiers.get(name);
    if (known) return known;
    const fresh = new Set(this.#waiting.keys());
    const announced = new Set<string>();
    const made = { fresh, announced, shown: false, alertedMs: Number.NEGATIVE_INFINITY, changedMs: undefined };
    this.#tiers.set(name, made);
    return made;
  }
}

function settledMs({ changedMs, announced }: TierState): number | undefined {
  return changedMs === undefined || announced.size === 0 ? undefined : changedMs + SETTLE_MS;
}
