import type { AnswerResult } from "@countersign/protocol/proposals";
import type { PlainAnswer } from "@countersign/sdk";
import { type ReadonlySignal, signal } from "@preact/signals";

/** An answer of this page's that the hub has taken. */
export interface MyAnswer {
  readonly answer: PlainAnswer;
  readonly result: AnswerResult;
}

/** What can be typed on a card: why it is denied, or what is to run instead. */
interface Drafts {
  readonly reason?: string;
  readonly command?: string;
}

const MOST = 500;
/** Cards on which something was begun. */
const MOST_DRAFTS = 50;

/**
 * What this page knows about cards beside what the hub tells: what was typed on one that waits, and which answers were given here. It stays
 * when another view is looked at; only in memory, and gone with the tab.
 */
export class CardMemory {
  readonly #drafts = new Map<string, Drafts>();
  readonly #mine = signal<ReadonlyMap<string, MyAnswer>>(new Map());
  readonly #late = signal<ReadonlyMap<string, number>>(new Map());

  get mine(): ReadonlySignal<ReadonlyMap<string, MyAnswer>> {
    return this.#mine;
  }

  /** Cards that expired and were allowed for when they ask again, and until when that holds. */
  get late(): ReadonlySignal<ReadonlyMap<string, number>> {
    return this.#late;
  }

  drafts(approvalId: string): Drafts {
    return this.#drafts.get(approvalId) ?? {};
  }

  keepDraft(approvalId: string, draft: Drafts): void {
    const kept = { ...this.#drafts.get(approvalId), ...draft };
    // The one typed on last stands last.
    this.#drafts.delete(approvalId);
    put(this.#drafts, { key: approvalId, value: kept, most: MOST_DRAFTS });
  }

  /** Nobody can send what was typed on a card that is settled. */
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

/** The oldest goes where there would be too many. */
function put<T>(map: Map<string, T>, { key, value, most }: { key: string; value: T; most: number }): Map<string, T> {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
  return map;
}
