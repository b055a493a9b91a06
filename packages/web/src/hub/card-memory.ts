import type { AnswerResult } from "@countersign/protocol/proposals";
import type { PlainAnswer } from "@countersign/sdk";
import { type ReadonlySignal, signal } from "@preact/signals";

/** An answer from this page that the hub accepted. */
export interface MyAnswer {
  readonly answer: PlainAnswer;
  readonly result: AnswerResult;
}

/** Text typed on a card: the reason of a denial, or the edited command. */
interface Drafts {
  readonly reason?: string;
  readonly command?: string;
}

const MOST = 500;
/** Cards with unsent text. */
const MOST_DRAFTS = 50;

/**
 * What only this page knows about cards: unsent text, and the answers given here. It survives a change of view, and is in memory only: closing
 * the tab deletes it.
 */
export class CardMemory {
  readonly #drafts = new Map<string, Drafts>();
  readonly #mine = signal<ReadonlyMap<string, MyAnswer>>(new Map());
  readonly #late = signal<ReadonlyMap<string, number>>(new Map());

  get mine(): ReadonlySignal<ReadonlyMap<string, MyAnswer>> {
    return this.#mine;
  }

  /** Expired cards that were allowed for a retry, and until when. */
  get late(): ReadonlySignal<ReadonlyMap<string, number>> {
    return this.#late;
  }

  drafts(approvalId: string): Drafts {
    return this.#drafts.get(approvalId) ?? {};
  }

  keepDraft(approvalId: string, draft: Drafts): void {
    const kept = { ...this.#drafts.get(approvalId), ...draft };
    // Moves the card that was edited last to the end.
    this.#drafts.delete(approvalId);
    put(this.#drafts, { key: approvalId, value: kept, most: MOST_DRAFTS });
  }

  /** Deletes the text on settled cards: it can't be sent any more. */
  forgetDrafts(isSettled: (approvalId: string) => boolean): void {
    for (const id of this.#drafts.keys()) if (isSettled(id)) this.#drafts.delete(id);
  }

  answered(approvalId: string, mine: MyAnswer): void {
    this.#mine.value = put(new Map(this.#mine.value), { key: approvalId, value: mine, most: MOST });
  }

  allowedLate(approvalId: string, untilMs: number): void {
    this.#late.value = put(new Map(this.#late.value), { key: approvalId, value: untilMs, most: MOST });
  }
}

/** Adds an entry, and deletes the oldest if there are too many. */
function put<T>(map: Map<string, T>, { key, value, most }: { key: string; value: T; most: number }): Map<string, T> {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
  return map;
}
