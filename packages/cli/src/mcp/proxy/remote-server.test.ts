import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { reachServer } from "./remote-server.ts";

test("a request that isn't answered yet holds up nothing that comes after it", async (t) => {
  let slow: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    const { id, method } = request.method === "POST" ? JSON.parse(await text(request)) : {};
    const answer = () => response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { method } }));
    response.setHeader("content-type", "application/json");
    if (method === "slow") slow = response;
    else if (id === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end();
    else answer();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const upstream = reachServer(new URL(`http://127.0.0.1:${port}/mcp`), {});
  const heard: string[] = [];
  const quick = Promise.withResolvers<void>();
  const received = upstream.receive(async (line) => {
    heard.push(line.toString());
    quick.resolve();
  });
  await upstream.send('{"jsonrpc":"2.0","id":1,"method":"slow"}');
  await upstream.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await upstream.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  await quick.promise;
  assert.deepEqual(heard, ['{"jsonrpc":"2.0","id":2,"result":{"method":"ping"}}']);
  assert.ok(slow);
  await upstream.stop();
  await received;
});
