import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Node hands an upgraded socket over without a listener for its errors: a peer that resets it would end the process. */
export function takeSocket(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
}

/** Not by `URL`: it throws for targets such as `//`, and anyone may send one. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
