import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What `bench/execd.ts` puts behind the proxy, and beside it: an execd, and a proxy that records nothing. Its address goes to the parent. */
const [role, target = ""] = process.argv.slice(2);
const BLOCK = Buffer.alloc(256 * 1024, "x");

const server = createServer(role === "execd" ? answer : passOn);
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));

/** As little of an execd as there can be. */
function answer(call: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(call.url ?? "/", "http://execd");
  const event = (fields: object) => `${JSON.stringify({ ...fields, timestamp: Date.now() })}\n\n`;
  call.resume();
  call.on("end", () => {
    if (pathname === "/files/download") return download(Number(searchParams.get("bytes")), response);
    if (pathname === "/files/info") return response.writeHead(404).end('{"code":"FILE_NOT_FOUND","message":""}');
    if (pathname !== "/command") return response.end();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(event({ type: "init", text: "1" }));
    const end = () => response.end(event({ type: "stdout", text: "x" }) + event({ type: "execution_complete" }));
    const holdMs = Number(call.headers["x-hold-ms"] ?? 0);
    if (holdMs > 0) setTimeout(end, holdMs);
    else end();
  });
}

function download(bytes: number, response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes });
  let left = bytes;
  const more = () => {
    while (left > 0) {
      const block = left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
      left -= block.length;
      if (!response.write(block)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

/** What a proxy costs that records nothing. */
function passOn(call: IncomingMessage, response: ServerResponse): void {
  const { method, url, rawHeaders } = call;
  const inner = request(target + url, { method, headers: rawHeaders }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
    answered.pipe(response);
  });
  call.pipe(inner);
}
