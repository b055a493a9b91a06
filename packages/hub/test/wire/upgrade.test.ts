import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { startGateway } from "../../src/gateway/gateway.ts";
import { openServer } from "../support/open-server.ts";

const KEY =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13";

/** An uncaught error of these listeners ends the process, and with it this test. */
async function attack(port: number): Promise<void> {
  for (const target of ["//", "///", "http://[", "/\\\\", "*", "/ws?//", "/%"]) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.end(`GET ${target} HTTP/1.1\r\nHost: evil.example\r\n${KEY}\r\n\r\n`);
    socket.resume();
    await once(socket, "close");
  }
  for (let round = 0; round < 10; round += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`GET /nowhere HTTP/1.1\r\nHost: evil.example\r\n${KEY}\r\n\r\n`, () => socket.resetAndDestroy());
    await once(socket, "close");
  }
}

test("odd upgrade targets and resets of refused upgrades leave the hub alive", async (t) => {
  const server = await openServer(t);
  await attack(Number(new URL(server.url).port));
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
});

test("and the gateway", async (t) => {
  const gateway = await startGateway({ log: silentLog, port: 0 });
  t.after(() => gateway.close());
  const { port, host } = new URL(gateway.url);
  await attack(Number(port));
  assert.equal((await fetch(`http://${host}/healthz`)).status, 200);
});
