import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { visible } from "@countersign/sdk";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson, printLines } from "../show/print.ts";
import { bundleParts } from "./export-bundle.ts";
import { type Filter, type FilterOptions, filterOf, isSelective, readFilter } from "./filter.ts";
import { RecordFile, type RecordOptions } from "./record-file.ts";

interface ExportOptions extends RecordOptions, FilterOptions {
  readonly jsonl?: string;
  readonly bundle?: string;
  /** To the standard output. */
  readonly format?: "jsonl" | "bundle";
}

const STDOUT = 1;

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
    const parts = format === "jsonl" ? lineParts(record, filter) : bundleParts(record, filter);
    const count = await write(parts, target);
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

/** A piece of the file, and how many receipts it holds. */
export interface Part {
  readonly text: string;
  readonly receipts: number;
}

function* lineParts(record: RecordFile, filter: Filter): Generator<Part> {
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

/** To a new file, which is taken away again unless it was written whole: half an export is no evidence. */
async function write(parts: AsyncIterable<Part> | Iterable<Part>, target: string | undefined): Promise<number> {
  const file = target === undefined ? STDOUT : create(target);
  try {
    let count = 0;
    for await (const { text, receipts } of parts) {
      writeAll(file, text);
      count += receipts;
    }
    if (target !== undefined) closeSync(file);
    return count;
  } catch (cause) {
    if (target !== undefined) {
      closeSync(file);
      rmSync(target, { force: true });
    }
    throw cause;
  }
}

function writeAll(file: number, text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(file, bytes));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      // Whoever reads along has seen enough (`| head`).
      if (code === "EPIPE" && file === STDOUT) process.exit(EXIT.ok);
      // A pipe that is full, with a reader that is slower than we are.
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function create(target: string): number {
  try {
    return openSync(target, "wx", 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === "EEXIST" ? "is there already. Name a file that doesn't exist yet." : `can't be written (${message}).`;
    throw new CliError("FAILED", `${target} ${why}`, { cause });
  }
}

function usage(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}
