import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { Handshakes } from "./handshakes.ts";

function from(remoteAddress: string, remotePort: number): Socket {
  return Object.assign(new EventEmitter(), { remoteAddress, remotePort }) as unknown as Socket;
}

test("addresses of one network count together, others don't", () => {
  const handshakes = new Handshakes({ mostOfOne: 2, most: 100 });
  assert.equal(handshakes.begin(from("2001:db8:0:1::1", 1)), true);
  const second = from("2001:db8:0:1:9:9:9:9", 1);
  assert.equal(handshakes.begin(second), true);
  assert.equal(handshakes.begin(from("2001:db8::1:0:0:0:3", 2)), false);
  assert.equal(handshakes.begin(from("2001:db8:0:2::1", 1)), true);
  for (const host of [1, 2]) assert.equal(handshakes.begin(from(`::ffff:10.0.0.${host}`, 1)), true);
  for (const port of [2, 3]) assert.equal(handshakes.begin(from("::ffff:10.0.0.1", port)), port === 2);
  second.emit("close");
  assert.equal(handshakes.begin(from("2001:db8:0:1::3", 1)), true);
});

test("all networks together have a bound too, and who ended twice counts once", () => {
  const handshakes = new Handshakes({ mostOfOne: 2, most: 3 });
  const sockets = [1, 2, 3].map((host) => from(`10.0.0.${host}`, 1));
  for (const socket of sockets) assert.equal(handshakes.begin(socket), true);
  assert.equal(handshakes.begin(from("10.0.0.4", 1)), false);
  const [first] = sockets as [Socket];
  handshakes.end(first);
  first.emit("close");
  assert.equal(handshakes.begin(from("10.0.0.4", 1)), true);
  assert.equal(handshakes.begin(from("10.0.0.5", 1)), false);
});
