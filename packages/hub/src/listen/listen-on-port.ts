import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Limits } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";

/** Interval of the checks. */
const CHECK_MS = 500;

/** Timeouts of every HTTP server. Node's defaults give half-sent headers a minute, and check every 30 s. */
export function timeLimits({ headMs, requestMs }: Pick<Limits, "headMs" | "requestMs">) {
  return {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    handshakeTimeout: headMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headMs),
  };
}

/**
 * Closes requests whose body stops for `headMs`; `requestMs` limits the whole. Counts checks, not time, so that a pause
 * of this process isn't held against the client.
 */
export function closeSilentBodies(server: Server, { headMs }: Pick<Limits, "headMs">): void {
  const checkMs = Math.min(CHECK_MS, headMs);
  const mostChecks = Math.ceil(headMs / checkMs);
  server.on("request", (request, response) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    let [read, checks] = [socket.bytesRead, 0];
    const timer = setInterval(() => {
      if (request.complete) return clearInterval(timer);
      checks = socket.bytesRead === read ? checks + 1 : 0;
      read = socket.bytesRead;
      if (checks < mostChecks) return;
      clearInterval(timer);
      if (response.headersSent) return socket.destroy();
      socket.end("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", () => socket.destroy());
    }, checkMs).unref();
    response.once("close", () => clearInterval(timer));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Starts listening, and returns the address, such as `127.0.0.1:18789` or `[::1]:18789`. Throws StartError. */
export async function listenOnPort(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const remedy = `Another program listens there; choose one with --port, or stop it.`;
      if (cause.code === "EADDRINUSE")
        reject(new StartError("PORT_IN_USE", `Port ${port} is in use. ${remedy}`, { cause }));
      else
        reject(new StartError("PORT_REFUSED", `${host}:${port} can't be listened on (${cause.message}).`, { cause }));
    });
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new StartError("PORT_REFUSED", `${port} isn't a port: it must be a whole number up to 65535.`);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return `${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
