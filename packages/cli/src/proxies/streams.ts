import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { CliError } from "../base/index.ts";
import { byteLinesOf } from "../connect/index.ts";

/** Far above what servers send and clients take; an endless line must end somewhere. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Hands on line after line, no faster than they are taken; resolves at the end, with a reason where that was a limit. */
export async function pump(stream: Readable, take: (line: Buffer) => Promise<void>): Promise<CliError | undefined> {
  try {
    for await (const line of byteLinesOf(stream, MAX_LINE_BYTES)) await take(line);
    return undefined;
  } catch (cause) {
    if (cause instanceof CliError) return cause;
    // The stream broke: that is an end like another.
    if ((cause as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw cause;
  }
}

const NEWLINE = Buffer.from("\n");

export function writerTo(stream: Writable): (line: string | Uint8Array) => Promise<void> {
  // Whoever is at the other end is noticed to be gone where reading from it ends.
  stream.on("error", () => undefined);
  return async (line) => {
    if (!stream.writable) return;
    const whole = typeof line === "string" ? `${line}\n` : Buffer.concat([line, NEWLINE]);
    if (!stream.write(whole)) await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => undefined);
  };
}
