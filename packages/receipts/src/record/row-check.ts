import type { ReceiptFacts } from "../verify/examine.ts";
import type { RecordRow } from "./source.ts";

/** Rows whose columns say something else than the receipt in them, so that a search would go wrong. */
export interface RowMismatch {
  readonly count: number;
  readonly firstIndex: number | null;
}

export class RowCheck {
  #count = 0;
  #firstIndex: number | null = null;

  note(row: RecordRow | undefined, facts: ReceiptFacts, index: number): void {
    if (row === undefined) return;
    const isRight =
      row.hash === facts.hash &&
      row.chainId === facts.chainId &&
      row.chainSeq === facts.sequence &&
      isFound(row, facts);
    if (isRight) return;
    this.#count += 1;
    this.#firstIndex ??= index;
  }

  get found(): RowMismatch {
    return { count: this.#count, firstIndex: this.#firstIndex };
  }
}

/** By its proposal. What others emit has a correlator of theirs, and no proposal; its type is the action's, with dots or `unknown`. */
function isFound({ proposalKey, type }: RecordRow, { correlationId }: ReceiptFacts): boolean {
  return proposalKey === correlationId || (proposalKey === null && (type.includes(".") || type === "unknown"));
}
