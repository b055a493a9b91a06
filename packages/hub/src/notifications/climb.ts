import type { Clock, Log, Timer } from "@countersign/core/base";
import type { ApprovalNews, Attention, News } from "../events/index.ts";
import { type Channel, noticeOf, type Waiting, waitingOf } from "./channels/index.ts";
import { Ladder, type Rung } from "./ladder.ts";

export interface ChannelRung extends Rung {
  readonly channel: Channel;
}

interface Rooms {
  readonly clock: Clock;
  readonly log: Log;
  readonly news: News;
  readonly attention: Attention;
  /** Those that there are now, the first to be called first. */
  rungs(): readonly ChannelRung[];
}

/** Takes the ladder through time: what the hub tells goes in, what it says is done. */
export class Climb {
  readonly #rooms: Rooms;
  readonly #ladder = new Ladder();
  readonly #waiting = new Map<string, Waiting>();
  readonly #unlisten: readonly (() => void)[];
  #next: Timer | undefined;
  #closed = false;

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
    const { news, attention } = rooms;
    this.#unlisten = [news.listen((told) => this.#hear(told)), attention.listen(() => this.look())];
  }

  /** What waited before anybody listened. */
  begin(waiting: readonly Waiting[]): void {
    for (const one of waiting) this.#add(one);
    this.look();
  }

  /** Something has changed: the rungs, who looks, what waits, or the time. */
  look(): void {
    if (this.#closed) return;
    const { clock, attention } = this.#rooms;
    const nowMs = clock.monotonicMs();
    this.#next?.cancel();
    this.#next = undefined;
    this.#ladder.looking(attention.looking, attention.lookedUntilMs);
    const rungs = this.#rooms.rungs();
    const { acts, nextMs } = this.#ladder.climb(rungs, nowMs);
    for (const act of acts) {
      const channel = rungs.find(({ name }) => name === act.rung)?.channel;
      if (act.kind === "withdraw") channel?.withdraw();
      else
        channel?.raise(
          noticeOf(
            act.ids.flatMap((id) => this.#waiting.get(id) ?? []),
            act.alert,
          ),
        );
    }
    if (nextMs !== undefined) this.#next = clock.after(Math.max(nextMs - nowMs, 0), () => this.look());
  }

  close(): void {
    this.#closed = true;
    this.#next?.cancel();
    for (const unlisten of this.#unlisten) unlisten();
  }

  /** Nothing that happens here may keep an approval from being asked or answered. */
  #hear(news: ApprovalNews): void {
    if (news.kind === "counted") return;
    try {
      if (news.kind === "asked") this.#add(waitingOf(news.card));
      else {
        this.#waiting.delete(news.closed.approvalId);
        this.#ladder.closed(news.closed.approvalId, this.#rooms.clock.monotonicMs());
      }
      this.look();
    } catch (cause) {
      this.#rooms.log.error({ err: cause }, "somebody could not be told about an approval");
    }
  }

  #add(waiting: Waiting): void {
    this.#waiting.set(waiting.approvalId, waiting);
    this.#ladder.asked(waiting.approvalId, this.#rooms.clock.monotonicMs());
  }
}
