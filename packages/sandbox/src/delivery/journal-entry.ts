import type { ExecdFrame } from "./frame.ts";

/** A frame as it is sent, and a line feed where it is the last word on a call: what a process that was killed hadn't told follows from those. */
export function journalEntry(json: string, isLastWord: boolean): Buffer {
  return Buffer.from(isLastWord ? `${json}\n` : json);
}

export interface ReadEntry {
  readonly key: string;
  readonly json: string;
  readonly isLastWord: boolean;
}

/** Of an entry of the journal, which is ours. */
export function readJournalEntry(content: Buffer): ReadEntry {
  const text = content.toString();
  const isLastWord = text.endsWith("\n");
  const json = isLastWord ? text.slice(0, -1) : text;
  const { idempotency_key: key } = JSON.parse(json) as Pick<ExecdFrame, "idempotency_key">;
  return { key, json, isLastWord };
}
