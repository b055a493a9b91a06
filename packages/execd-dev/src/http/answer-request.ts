import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ACCESS_TOKEN, ACCESS_TOKEN_NAME, readQuery, readTarget } from "@countersign/sandbox";
import { Exchange } from "./exchange.ts";
import { ExecdError } from "./execd-error.ts";
import type { Found } from "./route.ts";

interface Desk {
  readonly token: string | undefined;
  find(method: string, path: string): Found;
  forward(request: IncomingMessage, response: ServerResponse): void;
  onBug(cause: unknown): void;
}

/** One request, from its token to its answer. */
export async function answerRequest(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const target = readAsked(request.url ?? "");
  const exchange = new Exchange(request, response, { query: target?.query ?? new URLSearchParams(), params: {} });
  if (!target) return exchange.text("400 Bad Request", 400);
  if (!hasToken(request, desk.token)) return refuse(exchange);
  if (target.path.startsWith("/proxy/")) return desk.forward(request, response);
  const found = desk.find(request.method ?? "", target.path);
  if (found.kind === "none") return exchange.text("404 page not found", 404);
  if (found.kind === "elsewhere") return redirect(exchange, `${encodeURI(found.path)}${target.search}`);
  const known = new Exchange(request, response, { query: target.query, params: found.params });
  try {
    await found.handler(known);
  } catch (cause) {
    if (isGone(cause, request, response)) return;
    if (!(cause instanceof ExecdError)) desk.onBug(cause);
    const error = cause instanceof ExecdError ? cause : new ExecdError(500, "RUNTIME_ERROR", `${cause}`, { cause });
    // Whoever sends too much isn't listened to any longer.
    if (!request.complete) response.shouldKeepAlive = false;
    known.fail(error);
  }
}

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  /** As it came, with its mark. */
  readonly search: string;
}

/** As the proxy reads it, and Go; undefined where Go answers 400 by itself. */
export function readAsked(url: string): Asked | undefined {
  const target = readTarget(url);
  if (!target) return undefined;
  const { path, rawQuery } = target;
  const pairs = readQuery(rawQuery).map(([name, value]): [string, string] => [asText(name), value.toString("utf8")]);
  return { path: asText(path), search: rawQuery === "" ? "" : `?${rawQuery}`, query: new URLSearchParams(pairs) };
}

function asText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

export function hasToken(request: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const given = request.headers[ACCESS_TOKEN_NAME];
  return typeof given === "string" && timingSafeEqual(hash(given), hash(token));
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export const UNAUTHORIZED = { error: `Unauthorized: invalid or missing header ${ACCESS_TOKEN}` };

function refuse(exchange: Exchange): void {
  exchange.json(UNAUTHORIZED, 401);
}

/** gin's: what isn't GET is to be sent again as it is. */
function redirect({ request, response }: Exchange, location: string): void {
  const isGet = request.method === "GET";
  const body = isGet ? `<a href="${location.replaceAll("&", "&amp;")}">Moved Permanently</a>.\n\n` : "";
  response.writeHead(isGet ? 301 : 307, {
    location,
    ...(isGet && { "content-type": "text/html; charset=utf-8" }),
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** The client left, or its file ended, in the middle of it: nobody is there to be told. */
function isGone(cause: unknown, request: IncomingMessage, response: ServerResponse): boolean {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  if (code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET" || code === "ABORT_ERR") {
    response.destroy();
    return true;
  }
  return request.destroyed && response.destroyed;
}
