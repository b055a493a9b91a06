import type { AnswerResult, PlainAnswer } from "@countersign/sdk";
import { type ReadonlySignal, signal } from "@preact/signals";

/** An answer of this page's that the hub has taken. */
export interface MyAnswer {
  readonly answer: PlainAnswer;
  readonly result: AnswerResult;
}

const MOST = 500;

/** What this page knows about cards beside what the hub tells: what was typed, and which answers were given here. */
export class Memory {
  readonly #drafts = new Map<string, string>();
  readonly #mine = signal<ReadonlyMap<string, MyAnswer>>(new Map());
  readonly #late = signal<ReadonlyMap<string, number>>(new Map());

  get mine(): ReadonlySignal<ReadonlyMap<string, MyAnswer>> {
    return this.#mine;
  }

  /** Cards that expired and were allowed for when they ask again, and until when that holds. */
  get late(): ReadonlySignal<ReadonlyMap<string, number>> {
    return this.#late;
  }

  draft(approvalId: string, what: "reason" | "command"): string | undefined {
    return this.#drafts.get(`${what} ${approvalId}`);
  }

  keepDraft(approvalId: string, what: "reason" | "command", text: string): void {
    put(this.#drafts, `${what} ${approvalId}`, text);
  }

  answered(approvalId: string, mine: MyAnswer): void {
    this.#mine.value = put(new Map(this.#mine.value), approvalId, mine);
  }

  allowedLate(approvalId: string, untilMs: number): void {
    this.#late.value = put(new Map(this.#late.value), approvalId, untilMs);
  }
}

function put<T>(map: Map<string, T>, key: string, value: T): Map<string, T> {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
  return map;
}
