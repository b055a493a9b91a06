import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readAuthority } from "@countersign/core/network";
import type { Dialled, Reach } from "./dial.ts";
import { forward } from "./forward.ts";
import { lastWords, tunnel } from "./tunnel.ts";

/** CONNECT and plain HTTP. It doesn't listen: connections are given to it as `connection` events. */
export function httpProxy(reach: Reach, headerBytes: number): Server {
  const server = createServer({ maxHeaderSize: headerBytes, requireHostHeader: false }, (request, response) => {
    serveRequest(request, response, reach).catch(() => response.destroy());
  });
  // Whoever wants more opens another connection: then one connection is one target.
  server.maxRequestsPerSocket = 1;
  server.on("connect", (request, client, head) => serveConnect(request, client as Socket, { head, reach }));
  server.on("clientError", (cause: NodeJS.ErrnoException, client: Socket) => {
    if (!client.writable) client.destroy();
    else lastWords(client, rawAnswer(cause.code === "HPE_HEADER_OVERFLOW" ? tooLarge(headerBytes) : badRequest));
  });
  return server;
}

async function serveConnect(
  request: IncomingMessage,
  client: Socket,
  { head, reach }: { readonly head: Buffer; readonly reach: Reach },
): Promise<void> {
  if (head.length > 0) client.unshift(head);
  const target = readAuthority(request.url ?? "");
  if (!target) return lastWords(client, rawAnswer(badRequest));
  const dialled = await reach(client, target);
  if (dialled.kind !== "connected") return lastWords(client, rawAnswer(refusalAnswer(dialled)));
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  tunnel(client, dialled.socket);
}

async function serveRequest(request: IncomingMessage, response: ServerResponse, reach: Reach): Promise<void> {
  // RFC 9112, 3.2.2. A proxy that is asked for `/path` was taken for the server.
  const parts = /^http:\/\/([^/?#]*)([^#]*)/i.exec(request.url ?? "");
  const target = parts && readAuthority(parts[1] as string, 80);
  if (!target) return give(response, badRequest);
  const dialled = await reach(request.socket, target);
  if (dialled.kind !== "connected") return give(response, refusalAnswer(dialled));
  const path = (parts[2] as string).replace(/^(?!\/)/, "/");
  forward(request, response, { upstream: dialled.socket, authority: parts[1] as string, path });
}

function give(response: ServerResponse, { status, phrase, text }: Answer): void {
  const headers = { "content-type": TEXT, "content-length": Buffer.byteLength(text), connection: "close" };
  response.writeHead(status, phrase, headers).end(text);
}

const TEXT = "text/plain; charset=utf-8";

/** The phrase is what git, pip and go show; the text is what curl and browsers show. */
interface Answer {
  readonly status: number;
  readonly phrase: string;
  readonly text: string;
}

const badRequest: Answer = {
  status: 400,
  phrase: "Bad Request",
  text: "The jail's proxy understands CONNECT host:port and http://host/path.\n",
};

function tooLarge(headerBytes: number): Answer {
  const text = `The header is longer than ${headerBytes} bytes (limit: headerBytes)\n`;
  return { status: 431, phrase: "Request Header Fields Too Large", text };
}

function refusalAnswer(dialled: Exclude<Dialled, { readonly kind: "connected" }>): Answer {
  switch (dialled.kind) {
    case "refused":
      return { status: 403, phrase: "Refused by the jail", text: `Refused by the jail: ${dialled.reason}.\n` };
    case "failed":
      return { status: 502, phrase: "Bad Gateway", text: `From the jail, ${dialled.reason}.\n` };
    case "timed-out":
      return { status: 504, phrase: "Gateway Timeout", text: `From the jail, ${dialled.reason}.\n` };
  }
}

function rawAnswer({ status, phrase, text }: Answer): string {
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    `Content-Type: ${TEXT}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
