import { resolve } from "node:path";
import { visible } from "@countersign/protocol/text";
import type { ExportedPart } from "@countersign/receipts";
import { CliError, EXIT } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { recordParts } from "./export-bundle.ts";
import { writeParts } from "./new-file.ts";
import {
  type Filter,
  type FilterOptions,
  filterOf,
  isSelective,
  matches,
  RecordFile,
  type RecordOptions,
  readFilter,
} from "./sources/index.ts";

interface ExportOptions extends RecordOptions, FilterOptions {
  readonly jsonl?: string;
  readonly bundle?: string;
  /** To the standard output. */
  readonly format?: "jsonl" | "bundle";
}

/** The receipts as they were signed, to be verified elsewhere. */
export async function exportReceipts(options: ExportOptions): Promise<number> {
  const { format, target } = targetOf(options);
  const filter = readFilter(filterOf(options));
  if (format === "jsonl" && isSelective(filter)) {
    const why = "Of lines only all together can be verified: their chains would have gaps";
    throw usage(`${why}. Export a selection with --bundle, which proves that each is in the record.`);
  }
  const record = RecordFile.open(options);
  try {
    const parts =
      format === "jsonl"
        ? lineParts(record, filter)
        : recordParts(record, { selection: isSelective(filter), isChosen: (view) => matches(view, filter) });
    const count = await writeParts(parts, target);
    if (target === undefined) return EXIT.ok;
    if (options.json) printJson({ file: target, format, receipts: count });
    else
      printLines([
        `Exported ${count} receipts to ${visible(target)}`,
        `Verify it anywhere: countersign receipts verify ${visible(target)}`,
      ]);
    return EXIT.ok;
  } finally {
    record.close();
  }
}

function* lineParts(record: RecordFile, filter: Filter): Generator<ExportedPart> {
  for (const { raw } of record.after(0, filter)) yield { text: `${raw}\n`, receipts: 1 };
}

function targetOf({ jsonl, bundle, format }: ExportOptions): {
  format: "jsonl" | "bundle";
  target: string | undefined;
} {
  const given = [jsonl, bundle, format].filter((each) => each !== undefined);
  if (given.length !== 1) throw usage("Give one of --jsonl FILE, --bundle FILE, and --format, which prints it.");
  if (format !== undefined) return { format, target: undefined };
  const [kind, path] = jsonl === undefined ? (["bundle", bundle] as const) : (["jsonl", jsonl] as const);
  return { format: kind, target: path === undefined || path === "-" ? undefined : resolve(path) };
}

function usage(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}
