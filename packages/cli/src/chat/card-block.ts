import { type CliError, type GlobalOptions, userHome } from "../base/index.ts";
import { HubLink, render, SideEffects } from "../watch/index.ts";
import {
  cardBody,
  firstState,
  type Key,
  type Now,
  type RecentEvent,
  type Size,
  selectedOf,
  update,
  type Want,
  type WatchEvent,
} from "../watch/model/index.ts";
import type { Area } from "./live-area.ts";

interface CardEvents {
  /** Something of it looks different now. */
  changed(): void;
  /** With what else the hub said of it. */
  ended(event: RecentEvent, note: string | undefined): void;
  bell(): void;
  quit(): void;
  fail(cause: unknown): void;
}

/** Around a card's rows. */
const FRAME_ROWS = 6;
/** Enough for the list of scopes, and for the help. */
const LEAST_ROWS = 15;

/** What waits in one session: `watch`, as a block of rows, with its keys and everything that keeps a key from deciding too soon. */
export class CardBlock {
  readonly #link: HubLink;
  readonly #sideEffects: SideEffects;
  readonly #events: CardEvents;
  readonly #size: () => Size;
  #state;

  constructor(options: GlobalOptions & { readonly sessionKey: string }, size: () => Size, events: CardEvents) {
    this.#size = size;
    this.#events = events;
    this.#state = firstState(size(), options.url === undefined ? userHome() : undefined);
    this.#link = new HubLink(options, {
      asked: (card) => {
        if (card.agentId !== options.sessionKey) return;
        this.#happen({ kind: "asked", card });
        this.#askFacts();
      },
      closed: (closed, expired) => this.#happen({ kind: "closed", closed, expired }),
      known: () => this.#state.cards.map(({ card }) => card.approvalId),
      gone: (approvalIds) => this.#happen({ kind: "gone", approvalIds }),
      ledger: (alarm) => this.#happen({ kind: "ledger", alarm }),
      up: () => this.#happen({ kind: "link", link: { up: true } }),
      down: (why) => this.#happen({ kind: "link", link: { up: false, why } }),
      failed: (error: CliError) => events.fail(error),
    });
    this.#sideEffects = new SideEffects({
      link: this.#link,
      happen: (event) => this.#happen(event),
      fail: (cause) => events.fail(cause),
      askFacts: () => this.#askFacts(),
    });
  }

  async open(): Promise<void> {
    await this.#link.open();
  }

  close(): void {
    this.#link.close();
  }

  get isWaiting(): boolean {
    return this.#state.cards.length > 0;
  }

  press(key: Key): void {
    this.#happen({ kind: "key", key });
  }

  area(): Area {
    const { lines, cursor } = render(this.#state, now());
    return { lines, cursor };
  }

  /** The clock went on, or the window was changed. */
  refresh(): void {
    this.#happen({ kind: "tick" });
  }

  #happen(event: WatchEvent): void {
    const before = this.#state.recent[0];
    const { state, wants } = update(this.#sized(), event, now());
    this.#state = state;
    for (const want of wants) this.#do(want);
    const [latest] = state.recent;
    if (latest && latest.approvalId !== before?.approvalId) this.#events.ended(latest, state.notice);
    this.#leaveEnded();
    this.#events.changed();
  }

  #do(want: Want): void {
    switch (want.kind) {
      case "bell":
        return this.#events.bell();
      case "quit":
        return this.#events.quit();
      case "redraw":
        return;
      default:
        return this.#sideEffects.run(want);
    }
  }

  /** As high as the card needs; a new size counts as seen only once it was drawn. */
  #sized() {
    const { columns, rows } = this.#size();
    const card = selectedOf(this.#state)?.card;
    const wanted = card ? cardBody(card, columns, this.#state.tilde).rows.length + FRAME_ROWS : LEAST_ROWS;
    const size = { columns, rows: Math.min(rows - 1, Math.max(LEAST_ROWS, wanted)) };
    const { size: old } = this.#state;
    if (old.columns === size.columns && old.rows === size.rows) return this.#state;
    return update(this.#state, { kind: "resize", size }, now()).state;
  }

  /**
   * `watch` leaves an ended card until somebody moves on; here it goes up into what was said. By the same key, so that the next one
   * isn't answered by what was pressed for this one. (The first may only close the help.)
   */
  #leaveEnded(): void {
    for (let tries = 0; tries < 2 && selectedOf(this.#state)?.ended !== undefined; tries += 1) {
      this.#state = update(this.#state, { kind: "key", key: { kind: "down" } }, now()).state;
    }
  }

  #askFacts(): void {
    this.#link.facts(Date.now()).then(
      (hub) => {
        if (hub) this.#happen({ kind: "hub", hub });
      },
      (cause: unknown) => this.#events.fail(cause),
    );
  }
}

function now(): Now {
  return { wallMs: Date.now(), monoMs: performance.now() };
}
