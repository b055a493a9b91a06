import type { Fault, ReceiptFacts } from "../verify/index.ts";

/** A receipt that somebody wrote down: its hash, and where it stood among all, if that was written down too. */
export interface WantedHead {
  readonly seq?: number;
  readonly hash: string;
}

/** Whether what was written down is still there. */
export class HeadWatch {
  readonly #wanted: WantedHead | undefined;
  #isSeen = false;

  constructor(wanted: WantedHead | undefined) {
    this.#wanted = wanted;
  }

  look({ hash }: ReceiptFacts, index: number): Fault | null {
    const wanted = this.#wanted;
    if (wanted === undefined || (wanted.seq !== undefined && wanted.seq !== index + 1)) return null;
    if (hash === wanted.hash) {
      this.#isSeen = true;
      return null;
    }
    if (wanted.seq === undefined) return null;
    return { code: "FORKED", index, detail: `${wanted.hash} was expected here` };
  }

  end(count: number): Fault | null {
    if (this.#wanted === undefined || this.#isSeen) return null;
    const { seq, hash } = this.#wanted;
    const what = seq === undefined ? hash : `receipt ${seq} (${hash})`;
    return { code: "TRUNCATED", index: count, detail: `${what} was expected and isn't here` };
  }
}
