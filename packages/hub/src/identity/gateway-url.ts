import { StartError } from "@countersign/core/errors";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1", "[::1]"]);

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Throws StartError for what a hub must not connect to: in clear only to its own machine. */
export function readGatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "wss:";
  if (!url || !(secure || (url.protocol === "ws:" && isLoopback(url.hostname))) || url.username || url.hash) {
    const form = "wss://host/ws, or ws:// for a gateway on this machine";
    throw new StartError("CONFIG_INVALID", `${JSON.stringify(text)} isn't a gateway's address: it must be ${form}.`);
  }
  if (url.pathname === "/") url.pathname = "/ws";
  return url.href;
}
