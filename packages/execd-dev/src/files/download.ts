import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { type Exchange, ExecdError } from "../http/index.ts";
import { goErrno } from "../places/index.ts";
import { parseRange } from "./parse-range.ts";
import { fileError, type WorkspaceFiles } from "./workspace-files.ts";

/** A file, a part of it, or some of its lines. */
export async function download(exchange: Exchange, workspace: WorkspaceFiles): Promise<void> {
  const asked = exchange.required("path");
  resolvePath(workspace, asked);
  const offset = exchange.query.get("offset") || undefined;
  const limit = exchange.query.get("limit") || undefined;
  const lines =
    offset !== undefined && limit !== undefined
      ? { offset: toLine(offset, "offset"), limit: toLine(limit, "limit") }
      : undefined;
  await workspace
    .use(asked, { follow: true }, async ({ shown, path }) => {
      const file = await open(path, constants.O_RDONLY | workspace.openFlags).catch((cause) => {
        throw fileError(Object.assign(cause, { path: shown }));
      });
      try {
        if (lines) await sendLines(exchange, file, lines);
        else await sendBytes(exchange, file, basename(shown));
      } finally {
        await file.close();
      }
    })
    .catch((cause) => {
      throw exchange.response.headersSent ? cause : fileError(cause);
    });
}

function resolvePath(workspace: WorkspaceFiles, asked: string): string {
  try {
    return workspace.path(asked);
  } catch (cause) {
    throw new ExecdError(500, "RUNTIME_ERROR", `error resolving file path: ${asked}. ${goErrno(cause)}`, { cause });
  }
}

function toLine(text: string, name: "offset" | "limit"): number {
  if (/^\+?\d{1,15}$/.test(text) && Number(text) >= 1) return Number(text);
  const based = name === "offset" ? " (1-based)" : "";
  throw new ExecdError(400, "INVALID_PARAMETER", `${name} must be a positive integer${based}`);
}

async function sendBytes(exchange: Exchange, file: FileHandle, name: string): Promise<void> {
  const { response, request } = exchange;
  const stats = await file.stat();
  const { size } = stats;
  response.setHeader("content-type", "application/octet-stream");
  response.setHeader("content-disposition", disposition(name));
  const asked = request.headers.range;
  const ranges = asked === undefined || asked === "" ? [] : parseRange(asked, size);
  if (!ranges) return cutAnswer(exchange, size);
  const [range] = ranges;
  if (range && range.length > 0) {
    const { start, length } = range;
    response.writeHead(206, {
      "content-length": length,
      "content-range": `bytes ${start}-${start + length - 1}/${size}`,
    });
    await pipeline(file.createReadStream({ start, end: start + length - 1, autoClose: false }), response);
    return;
  }
  response.setHeader("last-modified", stats.mtime.toUTCString());
  if (isUnchanged(request.headers["if-modified-since"], stats.mtime)) {
    response.removeHeader("content-type");
    response.writeHead(304).end();
  } else if (stats.isDirectory()) endless(exchange);
  else if (asked) notOverlapping(exchange, size);
  else {
    response.writeHead(200, { "accept-ranges": "bytes", "content-length": size });
    if (size === 0) response.end();
    else await pipeline(file.createReadStream({ start: 0, end: size - 1, autoClose: false }), response);
  }
}

/** Told with the length of the file: cut where that is shorter, and cut off where it is longer. Clients must survive it. */
function cutAnswer({ response }: Exchange, size: number): void {
  const body = Buffer.from('{"code":"UNKNOWN"}');
  response.writeHead(416, { "content-type": "application/json; charset=utf-8", "content-length": size });
  if (size <= body.length) response.end(body.subarray(0, size));
  else response.write(body, () => response.destroy());
}

/** As Go's file server has it. */
function notOverlapping({ response }: Exchange, size: number): void {
  const body = "invalid range: failed to overlap\n";
  response.removeHeader("last-modified");
  response.writeHead(416, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-range": `bytes */${size}`,
    "content-length": body.length,
  });
  response.end(body);
}

/** A directory is told to be endless, and then can't be read. */
function endless({ response }: Exchange): void {
  response.writeHead(200, { "accept-ranges": "bytes", "content-length": "9223372036854775807" });
  response.flushHeaders();
  setImmediate(() => response.destroy());
}

function isUnchanged(since: string | undefined, at: Date): boolean {
  const asked = since === undefined ? Number.NaN : Date.parse(since);
  return Math.floor(at.getTime() / 1_000) <= Math.floor(asked / 1_000);
}

function disposition(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name);
  return `attachment; filename="${encoded}"; filename*=UTF-8''${encoded}`;
}

/** Longer lines than Go's scanner takes end it. */
const MAX_LINE_BYTES = 64 * 1024;

async function sendLines(
  exchange: Exchange,
  file: FileHandle,
  lines: { offset: number; limit: number },
): Promise<void> {
  const { response } = exchange;
  response.setHeader("content-type", "text/plain");
  const end = lines.offset + lines.limit;
  let number = 0;
  const reader = createInterface({
    input: file.createReadStream({ encoding: "latin1", autoClose: false }),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  try {
    for await (const line of reader) {
      number += 1;
      if (number >= end) break;
      if (line.length >= MAX_LINE_BYTES) {
        throw new ExecdError(500, "RUNTIME_ERROR", "error reading file: bufio.Scanner: token too long");
      }
      if (number < lines.offset) continue;
      if (!response.write(Buffer.from(`${line}\n`, "latin1"))) await drained(exchange);
      if (response.destroyed) return;
    }
  } catch (cause) {
    if (cause instanceof ExecdError) throw cause;
    throw new ExecdError(500, "RUNTIME_ERROR", `error reading file: ${goErrno(cause)}`, { cause });
  } finally {
    reader.close();
  }
  response.end();
}

async function drained({ response }: Exchange): Promise<void> {
  await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
}
