import { request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { readAsked } from "./answer-request.ts";

/** Of this hop alone. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Whether what listens there may be asked. */
export type MayReach = (port: number) => boolean;

/** `/proxy/<port>/…`: whatever listens there on this machine, this server included. */
export function forwardToPort(request: IncomingMessage, response: ServerResponse, mayReach: MayReach): void {
  const aim = aimOf(request, mayReach);
  if (aim === "no port") return plain(response, 400, "port is required\n");
  if (!aim) return plain(response, 502, "Bad Gateway\n");
  const asked = ask({
    ...{ host: "127.0.0.1", port: aim.port, method: request.method, path: aim.path },
    headers: { ...passedOn(request), "x-forwarded-for": clientOf(request), "x-forwarded-proto": "http" },
  });
  asked.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHops(answer.rawHeaders));
    pipeline(answer, response, () => undefined);
  });
  asked.once("error", () => {
    if (response.headersSent) response.destroy();
    else plain(response, 502, "Bad Gateway\n");
  });
  response.once("close", () => asked.destroy());
  pipeline(request, asked, () => undefined);
}

/** Undefined where there is no such port, or none that may be reached. */
export function aimOf(
  request: IncomingMessage,
  mayReach: MayReach,
): { port: number; path: string } | "no port" | undefined {
  const target = readAsked(request.url ?? "");
  const [port = "", ...rest] = (target?.path ?? "").slice("/proxy/".length).split("/");
  if (port === "") return "no port";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535 || Number(port) === 0) return undefined;
  if (!mayReach(Number(port))) return undefined;
  const path = rest.join("/").split("/").map(encodeURIComponent).join("/");
  return { port: Number(port), path: `/${path}${target?.search ?? ""}` };
}

export function clientOf({ headers, socket }: IncomingMessage): string {
  const forwarded = headers["x-forwarded-for"];
  const first = typeof forwarded === "string" ? forwarded.split(",")[0] : undefined;
  return first || `${headers["x-real-ip"] ?? ""}` || `${socket.remoteAddress}:${socket.remotePort}`;
}

function passedOn({ headers }: IncomingMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]),
    ),
  );
}

function withoutHops(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
