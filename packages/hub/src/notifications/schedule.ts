/** A way to call somebody, and how long after the approval it is used. */
export interface Tier {
  readonly name: string;
  /** Delay between an approval and this tier's first call. */
  readonly afterMs: number;
  /** Minimum time between two calls; approvals in between share the next one. */
  readonly againMs: number;
}

export type Act =
  /** Shows all pending approvals as one notification. Without `alert` it only corrects the one that is shown. */
  | { readonly kind: "raise"; readonly tier: string; readonly ids: readonly string[]; readonly alert: boolean }
  /** Removes the notification: every approval it showed is closed. */
  | { readonly kind: "withdraw"; readonly tier: string };

export interface Due {
  readonly acts: readonly Act[];
  /** When to call `due` again unless an event comes first. */
  readonly nextMs: number | undefined;
}

/** Delay before a shown notification is corrected, because answers come in bursts too. */
export const SETTLE_MS = 1_000;

interface TierState {
  /** Pending and not yet announced on this tier, oldest first. */
  readonly fresh: Set<string>;
  /** Announced on this tier and still pending. */
  readonly announced: Set<string>;
  shown: boolean;
  alertedMs: number;
  /** When the shown notification became outdated. */
  changedMs: number | undefined;
}

/**
 * Decides who is called about pending approvals, and when. Tiers are called one after the other until somebody answers,
 * each once per burst, and none while somebody is looking. Pure: it has no clock and performs nothing.
 */
export class NotificationSchedule {
  /** Time of each pending approval by its id, oldest first. */
  readonly #waiting = new Map<string, number>();
  readonly #tiers = new Map<string, TierState>();
  #looking = false;
  /** Approvals that were in plain view until this time cause no call. */
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

  /** Records until when somebody was looking, which may be known only afterwards. */
  looking(looking: boolean, untilMs: number): void {
    this.#looking = looking;
    this.#lookedUntilMs = Math.max(this.#lookedUntilMs, untilMs);
  }

  /** Returns the acts that are due now. `tiers` may differ from the last call. */
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
      // Includes approvals that aren't due yet: one call for all is better than another one soon.
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

  /** When this tier is called next. */
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
