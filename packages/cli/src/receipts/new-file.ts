import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import type { ExportedPart } from "@countersign/receipts";
import { CliError, EXIT } from "../base/index.ts";

const STDOUT = 1;

/** Before the work is done: it would be for nothing. */
export function refuseExisting(target: string): void {
  if (existsSync(target)) throw existing(target);
}

/** To a new file, which is taken away again unless it was written whole: half an export is no evidence. */
export async function writeParts(
  parts: AsyncIterable<ExportedPart> | Iterable<ExportedPart>,
  target: string | undefined,
): Promise<number> {
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
    if (code === "EEXIST") throw existing(target, cause);
    throw new CliError("FAILED", `${target} can't be written (${message}).`, { cause });
  }
}

function existing(target: string, cause?: unknown): CliError {
  return new CliError("FAILED", `${target} already exists. Name a file that doesn't exist yet.`, { cause });
}
