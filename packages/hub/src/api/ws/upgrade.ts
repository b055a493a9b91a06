import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Node hands over an upgraded socket without an error listener: a reset by the peer would crash the process. */
export function takeSocket(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
}

/** Doesn't use `URL`, which throws for targets such as `//`, and anyone may send one. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
