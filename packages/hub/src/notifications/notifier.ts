import type { Clock, Log, Timer } from "@countersign/core/base";
import type { ApprovalNews, Attention, News } from "../events/index.ts";
import { type Channel, noticeOf, type Waiting, waitingOf } from "./channels/index.ts";
import { NotificationSchedule, type Tier } from "./schedule.ts";

export interface ChannelTier extends Tier {
  readonly channel: Channel;
}

interface NotifierOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly news: News;
  readonly attention: Attention;
  /** The tiers that exist now, in the order in which they are called. */
  readonly tiers: () => readonly ChannelTier[];
}

/** Runs the schedule against the clock: feeds it the hub's events and carries out the acts it returns. */
export class Notifier {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #attention: Attention;
  readonly #tiers: () => readonly ChannelTier[];
  readonly #schedule = new NotificationSchedule();
  readonly #waiting = new Map<string, Waiting>();
  readonly #unlisten: readonly (() => void)[];
  #next: Timer | undefined;
  #closed = false;

  constructor({ clock, log, news, attention, tiers }: NotifierOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#attention = attention;
    this.#tiers = tiers;
    this.#unlisten = [news.listen((event) => this.#hear(event)), attention.listen(() => this.look())];
  }

  /** Adds approvals that were pending before this listened. */
  begin(waiting: readonly Waiting[]): void {
    for (const one of waiting) this.#add(one);
    this.look();
  }

  /** Call when the tiers, the attention, the pending approvals or the time have changed. */
  look(): void {
    if (this.#closed) return;
    const nowMs = this.#clock.monotonicMs();
    this.#next?.cancel();
    this.#next = undefined;
    this.#schedule.looking(this.#attention.looking, this.#attention.lookedUntilMs);
    const tiers = this.#tiers();
    const { acts, nextMs } = this.#schedule.due(tiers, nowMs);
    for (const act of acts) {
      const channel = tiers.find(({ name }) => name === act.tier)?.channel;
      if (act.kind === "withdraw") channel?.withdraw();
      else
        channel?.raise(
          noticeOf(
            act.ids.flatMap((id) => this.#waiting.get(id) ?? []),
            act.alert,
          ),
        );
    }
    if (nextMs !== undefined) this.#next = this.#clock.after(Math.max(nextMs - nowMs, 0), () => this.look());
  }

  close(): void {
    this.#closed = true;
    this.#next?.cancel();
    for (const unlisten of this.#unlisten) unlisten();
  }

  /** Catches every error: a failed notification must not keep an approval from being asked or answered. */
  #hear(news: ApprovalNews): void {
    if (news.kind === "counted") return;
    try {
      if (news.kind === "asked") this.#add(waitingOf(news.card));
      else {
        this.#waiting.delete(news.closed.approvalId);
        this.#schedule.closed(news.closed.approvalId, this.#clock.monotonicMs());
      }
      this.look();
    } catch (cause) {
      this.#log.error({ err: cause }, "somebody could not be told about an approval");
    }
  }

  #add(waiting: Waiting): void {
    this.#waiting.set(waiting.approvalId, waiting);
    this.#schedule.asked(waiting.approvalId, this.#clock.monotonicMs());
  }
}
