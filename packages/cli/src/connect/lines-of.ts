import type { Readable } from "node:stream";
import { CliError } from "../base/index.ts";

const NEWLINE = 0x0a;

/** The lines of a stream as they come, without their ends; what follows the last end isn't one. */
export async function* linesOf(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  for await (const line of byteLinesOf(stream, maxBytes)) yield line.toString("utf8");
}

/** The same as bytes. */
export async function* byteLinesOf(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at)]);
      begun = [];
      bytes = 0;
      from = at + 1;
    }
    begun.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxBytes) throw new CliError("LIMIT", `A line is longer than ${maxBytes} bytes.`);
  }
}
