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

const NO_ANSWER = "From the jail, the server gave no answer that can be understood.\n";

interface Way {
  /** Connected to the server of `authority`, for this request alone. */
  readonly upstream: Socket;
  readonly authority: string;
  readonly path: string;
}

/** One request and its answer, without what concerns only the connection between two neighbours. */
export function forward(request: IncomingMessage, response: ServerResponse, way: Way): void {
  response.once("close", () => way.upstream.destroy());
  const onward = requestOf({
    createConnection: () => way.upstream,
    method: request.method ?? "GET",
    path: way.path,
    headers: headersFor(request, way.authority),
  });
  onward.once("response", (answer) => passBack(answer, response));
  onward.on("error", () => giveUp(response));
  // Also where there's neither an answer nor an error: a server that wants to switch protocols.
  onward.once("close", () => giveUp(response));
  pipeline(request, onward, () => undefined);
}

function headersFor(request: IncomingMessage, authority: string): string[] {
  // The host that was checked, whatever the client wrote: one address can serve many names.
  const headers = passedOn(request).filter(([name]) => name.toLowerCase() !== "host");
  headers.push(["Host", authority], ["Connection", "close"]);
  // Said again, since Node leaves it out for a GET, and the body would look like a second request.
  if (request.headers["transfer-encoding"] !== undefined) headers.push(["Transfer-Encoding", "chunked"]);
  return headers.flat();
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  try {
    const headers = [...passedOn(answer).flat(), ...["Connection", "close"]];
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", headers);
    pipeline(answer, response, () => undefined);
  } catch {
    // Node reads a status or phrase that it won't write.
    giveUp(response);
  }
}

function giveUp(response: ServerResponse): void {
  if (response.writableEnded) return;
  if (response.headersSent) response.destroy();
  else response.writeHead(502, "Bad Gateway", { connection: "close" }).end(NO_ANSWER);
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
