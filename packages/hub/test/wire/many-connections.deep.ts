import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { openServer } from "../support/open-server.ts";

const CONNECTIONS = 100_000;

test(`${CONNECTIONS} connections opened and dropped one after another leave nothing behind`, async (t) => {
  const server = await openServer(t);
  const { port } = new URL(server.url);
  const upgrade = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
  const before = readdirSync("/proc/self/fd").length;
  for (let index = 0; index < CONNECTIONS; index += 1) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(upgrade));
      socket.once("data", () => socket.destroy());
      socket.once("error", reject);
      socket.once("close", () => resolve());
    });
  }
  // The server's ends close a turn after ours.
  for (let turns = 0; readdirSync("/proc/self/fd").length > before + 8 && turns < 10_000; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(readdirSync("/proc/self/fd").length <= before + 8, "descriptors are left");
  assert.equal((await server.api("GET", "/api/v1/state")).status, 200);
});
