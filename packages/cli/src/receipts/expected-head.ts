import type { Fault, ReceiptFacts } from "@countersign/receipts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";

/** A receipt that somebody wrote down: its hash, and where it stood among all, if that was written down too. */
export interface WantedHead {
  readonly seq?: number;
  readonly hash: string;
}

const HEAD = /^(?:([1-9]\d{0,14}):)?((?:sha256:)?[0-9a-f]{64})$/;

/** `<seq>:<hash>` as `verify` and `list` print it, or the hash alone. */
export function readExpectedHead(text: string): WantedHead {
  const [, seq, hash] = HEAD.exec(text) ?? [];
  if (hash === undefined) {
    const message = `--expect-head ${JSON.stringify(text.slice(0, 100))} isn't <seq>:sha256:<hash>, or the hash alone.`;
    throw new CliError("FAILED", message, { exitCode: EXIT.usage });
  }
  return {
    hash: hash.startsWith("sha256:") ? hash : `sha256:${hash}`,
    ...(seq === undefined ? {} : { seq: Number(seq) }),
  };
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
