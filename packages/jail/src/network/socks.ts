import type { Socket } from "node:net";
import type { Dialled, Reach, Target } from "./dial.ts";
import { lastWords, tunnel } from "./tunnel.ts";

/** RFC 1928. The first byte of every message. */
export const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const NO_METHOD = 0xff;
const CONNECT = 1;

/** RFC 1928, 6: what went wrong. */
const REPLY = { succeeded: 0, refused: 2, unreachable: 4, timedOut: 6, command: 7, addressType: 8 } as const;
type Reply = (typeof REPLY)[keyof typeof REPLY];

const REPLY_TO = { refused: REPLY.refused, failed: REPLY.unreachable, "timed-out": REPLY.timedOut } as const;

/** SOCKS5 without authentication, CONNECT only. */
export function serveSocks(client: Socket, reach: Reach): void {
  let received: Buffer = Buffer.alloc(0);
  let greeted = false;
  client.on("data", function take(chunk: Buffer) {
    received = Buffer.concat([received, chunk]);
    if (!greeted) {
      const methods = readGreeting(received);
      if (!methods) return;
      if (!methods.includes(NO_AUTHENTICATION)) return leave(Buffer.of(SOCKS_VERSION, NO_METHOD));
      client.write(Buffer.of(SOCKS_VERSION, NO_AUTHENTICATION));
      received = received.subarray(2 + methods.length);
      greeted = true;
    }
    const request = readRequest(received);
    if (!request) return;
    if ("problem" in request) return leave(replyOf(request.problem));
    client.off("data", take);
    client.pause();
    if (request.length < received.length) client.unshift(received.subarray(request.length));
    void connectTo(client, request.target, reach);

    function leave(words: Buffer): void {
      client.off("data", take);
      lastWords(client, words);
    }
  });
}

async function connectTo(client: Socket, target: Target, reach: Reach): Promise<void> {
  const dialled: Dialled = await reach(client, target);
  if (dialled.kind !== "connected") return lastWords(client, replyOf(REPLY_TO[dialled.kind]));
  client.write(replyOf(REPLY.succeeded));
  tunnel(client, dialled.socket);
}

/** version, count, one byte per method. undefined: not whole yet. */
function readGreeting(bytes: Buffer): Buffer | undefined {
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) return undefined;
  return bytes.subarray(2, 2 + count);
}

type SocksRequest = { readonly target: Target; readonly length: number } | { readonly problem: Reply };

/** version, command, reserved, address type, address, port (2 bytes). undefined: not whole yet. */
function readRequest(bytes: Buffer): SocksRequest | undefined {
  if (bytes.length < 5) return undefined;
  const [version, command, , type, first] = bytes as unknown as [number, number, number, number, number];
  if (version !== SOCKS_VERSION || command !== CONNECT) return { problem: REPLY.command };
  const address = ADDRESS_TYPES[type];
  if (!address) return { problem: REPLY.addressType };
  const start = type === NAME ? 5 : 4;
  const end = start + (address.length ?? first);
  if (bytes.length < end + 2) return undefined;
  const port = bytes.readUInt16BE(end);
  if (port === 0) return { problem: REPLY.refused };
  return { target: { host: address.read(bytes.subarray(start, end)), port }, length: end + 2 };
}

const NAME = 3;

/** A name's length stands before it. */
const ADDRESS_TYPES: Readonly<Record<number, { length?: number; read(bytes: Buffer): string }>> = {
  1: { length: 4, read: (bytes) => bytes.join(".") },
  [NAME]: { read: (bytes) => bytes.toString("utf8") },
  4: { length: 16, read: (bytes) => (bytes.toString("hex").match(/.{4}/g) as string[]).join(":") },
};

/** The address from which we connected is nobody's business inside: 0.0.0.0:0. */
function replyOf(reply: Reply): Buffer {
  return Buffer.of(SOCKS_VERSION, reply, 0, 1, 0, 0, 0, 0, 0, 0);
}
