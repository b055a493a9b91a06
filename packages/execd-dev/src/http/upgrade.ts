import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { hasToken, readAsked, UNAUTHORIZED } from "./answer-request.ts";
import { ExecdError } from "./execd-error.ts";
import { aimOf, clientOf, type MayReach } from "./forward-to-port.ts";
import { goEncode } from "./go-encode.ts";

export interface UpgradeDesk {
  readonly token: string | undefined;
  readonly mayReach: MayReach;
  openPty(request: IncomingMessage, socket: Duplex, asked: { id: string; query: URLSearchParams; head: Buffer }): void;
}

const PTY = /^\/pty\/([^/]+)\/ws$/;

/** Whether it becomes a socket; what only says so is answered like any other. */
export function becomesSocket(request: IncomingMessage): boolean {
  if (request.method !== "GET" || request.headers.upgrade?.toLowerCase() !== "websocket") return false;
  const path = readAsked(request.url ?? "")?.path ?? "";
  return PTY.test(path) || path.startsWith("/proxy/");
}

export function openSocket(request: IncomingMessage, socket: Duplex, head: Buffer, desk: UpgradeDesk): void {
  socket.on("error", () => socket.destroy());
  const target = readAsked(request.url ?? "");
  const id = PTY.exec(target?.path ?? "")?.[1];
  if (!hasToken(request, desk.token)) return answer(socket, 401, "Unauthorized", goEncode(UNAUTHORIZED));
  if (target?.path.startsWith("/proxy/")) return tunnel(request, socket, { head, mayReach: desk.mayReach });
  if (!target || id === undefined) return answer(socket, 404, "Not Found", "404 page not found");
  try {
    desk.openPty(request, socket, { id, query: target.query, head });
  } catch (cause) {
    if (!(cause instanceof ExecdError)) throw cause;
    answer(socket, cause.status, "Refused", goEncode({ code: cause.code, message: cause.message }));
  }
}

/** The request as it came, to whatever listens there; then bytes. */
function tunnel(
  request: IncomingMessage,
  socket: Duplex,
  { head, mayReach }: { head: Buffer; mayReach: MayReach },
): void {
  const aim = aimOf(request, mayReach);
  if (aim === "no port") return answer(socket, 400, "Bad Request", "port is required\n");
  if (!aim) return answer(socket, 502, "Bad Gateway", "Bad Gateway\n");
  const other = connect(aim.port, "127.0.0.1");
  let isConnected = false;
  other.once("connect", () => {
    isConnected = true;
    const lines = [`GET ${aim.path} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
    }
    lines.push(`X-Forwarded-For: ${clientOf(request)}`, "X-Forwarded-Proto: http", "", "");
    other.write(lines.join("\r\n"), "latin1");
    other.write(head);
    socket.pipe(other).pipe(socket);
  });
  other.once("error", () => {
    if (isConnected) socket.destroy();
    else answer(socket, 502, "Bad Gateway", "Bad Gateway\n");
  });
  other.once("close", () => socket.destroy());
  socket.once("close", () => other.destroy());
}

function answer(socket: Duplex, status: number, words: string, body: string): void {
  const type = body.startsWith("{") ? "application/json; charset=utf-8" : "text/plain; charset=utf-8";
  socket.end(
    `HTTP/1.1 ${status} ${words}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
