import { type IncomingMessage, request as requestOf, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";

/** RFC 9110, 7.6.1, and what only concerns a proxy. `expect` was already answered. */
const BETWEEN_NEIGHBOURS = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

interface Way {
  /** Connected to the server of `authority`, for this request alone. */
  readonly upstream: Socket;
  readonly authority: string;
  readonly path: string;
}

/** One request and its answer, without what concerns only the connection between two neighbours. */
export function forward(request: IncomingMessage, response: ServerResponse, { upstream, authority, path }: Way): void {
  // The host that was checked, whatever the client wrote: one address can serve many names.
  const headers = passedOn(request).filter(([name]) => name.toLowerCase() !== "host");
  headers.push(["Host", authority], ["Connection", "close"]);
  // Said again, since Node leaves it out for a GET, and the body would look like a second request.
  if (request.headers["transfer-encoding"] !== undefined) headers.push(["Transfer-Encoding", "chunked"]);
  const onward = requestOf({
    createConnection: () => upstream,
    method: request.method ?? "GET",
    path,
    headers: headers.flat(),
  });
  onward.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", [
      ...passedOn(answer).flat(),
      ...["Connection", "close"],
    ]);
    pipeline(answer, response, () => undefined);
  });
  pipeline(request, onward, () => undefined);
  onward.once("error", () => giveUp(response));
  response.once("close", () => upstream.destroy());
}

function giveUp(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502, { connection: "close" }).end("The server hung up on the jail's proxy.\n");
}

function passedOn(message: IncomingMessage): Array<[string, string]> {
  const named = new Set((message.headers.connection ?? "").toLowerCase().split(/\s*,\s*/));
  const passed: Array<[string, string]> = [];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at] as string;
    const known = name.toLowerCase();
    // A length that the connection header names would let the two sides see different messages.
    const dropped = BETWEEN_NEIGHBOURS.has(known) || (named.has(known) && known !== "content-length");
    if (!dropped) passed.push([name, message.rawHeaders[at + 1] as string]);
  }
  return passed;
}
