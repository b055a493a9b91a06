import { visible } from "@countersign/protocol/text";
import type { ReceiptLine } from "@countersign/receipts";
import { EXIT } from "../base/index.ts";
import { printJson, printLines, table } from "../terminal/index.ts";
import { type FilterOptions, filterOf, RecordFile, type RecordOptions, readFilter } from "./sources/index.ts";

export interface ListOptions extends RecordOptions, FilterOptions {
  readonly limit: number;
}

export async function list(options: ListOptions): Promise<number> {
  const record = RecordFile.open(options);
  try {
    const found = record.newest(options.limit, readFilter(filterOf(options))).map(({ view }) => view);
    if (options.json) printJson(found);
    else printLines(found.length === 0 ? ["No receipts match."] : table([HEADINGS, ...found.map(cellsOf)]));
    return EXIT.ok;
  } finally {
    record.close();
  }
}

const HEADINGS = ["SEQ", "AT", "TYPE", "RISK", "WHAT", "SESSION"];

function cellsOf(view: ReceiptLine): string[] {
  const { seq, at, type, risk, session, sandbox, emitter } = view;
  const where = session ?? (sandbox === null ? (emitter ?? "") : `sandbox ${sandbox}`);
  return [String(seq), localTime(at), visible(type), risk, visible(wordsOf(view)), visible(where)];
}

/** In a few words. */
function wordsOf({ verdict, by, person, status, error, device }: ReceiptLine): string {
  if (verdict === null) return error === null ? status : `${status} (${error})`;
  const who = person === null ? by : `${person}${device === null ? "" : " (device)"}`;
  return who === null ? verdict : `${verdict} by ${who}`;
}

/** One line, for following. */
export function lineOf(view: ReceiptLine): string {
  return cellsOf(view)
    .filter((cell) => cell !== "")
    .join("  ");
}

function localTime(at: string): string {
  return new Date(at).toLocaleString("sv-SE");
}
