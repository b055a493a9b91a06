import assert from "node:assert/strict";
import { test } from "node:test";
import { dialProxy, echoUpstream, openProxy, worldOf } from "../../../hub/test/support/proxy-fixture.ts";

const A = "192.0.2.1";
const B = "2001:db8::1";
const HELLO = Buffer.of(5, 1, 0);
const WELCOME = Buffer.of(5, 0);

function request(type: number, address: Buffer, port = 443): Buffer {
  return Buffer.concat([Buffer.of(5, 1, 0, type), address, Buffer.of(port >> 8, port & 0xff)]);
}

function named(name: string): Buffer {
  return request(3, Buffer.concat([Buffer.of(Buffer.byteLength(name)), Buffer.from(name)]));
}

function reply(code: number): Buffer {
  return Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

test("names, IPv4 and IPv6 are reached; bytes may come early and in pieces", async (t) => {
  const echo = await echoUpstream(t);
  const world = worldOf({ "a.example": [A] }, { [A]: echo, [B]: echo });
  const { port } = await openProxy(t, { rule: { hosts: ["a.example", A, B] }, dialer: world.dialer });
  const ipv6 = Buffer.from("20010db8000000000000000000000001", "hex");
  for (const target of [named("A.example."), request(1, Buffer.of(192, 0, 2, 1)), request(4, ipv6)]) {
    const whole = await dialProxy(port);
    whole.send(Buffer.concat([HELLO, target, Buffer.from("early ")]));
    assert.deepEqual(await whole.take(12), Buffer.concat([WELCOME, reply(0)]));
    whole.send("late");
    whole.socket.end();
    assert.equal(await whole.rest(), "early late");

    const pieces = await dialProxy(port);
    pieces.socket.setNoDelay(true);
    for (const byte of Buffer.concat([HELLO, target])) {
      pieces.send(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    assert.deepEqual(await pieces.take(12), Buffer.concat([WELCOME, reply(0)]));
    pieces.socket.destroy();
  }
  assert.deepEqual(world.dialled, [`${A} 443`, `${A} 443`, `${A} 443`, `${A} 443`, `${B} 443`, `${B} 443`]);
});

test("refusals have their codes", async (t) => {
  const world = worldOf({}, {});
  const { port, proxy } = await openProxy(t, { rule: { hosts: ["gone.example", "127.0.0.1"] }, dialer: world.dialer });
  const table: Array<[string, Buffer, Buffer]> = [
    ["not in the rule", Buffer.concat([HELLO, named("evil.example")]), Buffer.concat([WELCOME, reply(2)])],
    ["not a name", Buffer.concat([HELLO, named("\x1b[31m")]), Buffer.concat([WELCOME, reply(2)])],
    ["no name", Buffer.concat([HELLO, named("")]), Buffer.concat([WELCOME, reply(2)])],
    [
      "the machine itself",
      Buffer.concat([HELLO, request(1, Buffer.of(127, 0, 0, 1))]),
      Buffer.concat([WELCOME, reply(2)]),
    ],
    ["port 0", Buffer.concat([HELLO, request(1, Buffer.of(1, 1, 1, 1), 0)]), Buffer.concat([WELCOME, reply(2)])],
    ["no such name", Buffer.concat([HELLO, named("gone.example")]), Buffer.concat([WELCOME, reply(4)])],
    ["BIND", Buffer.concat([HELLO, Buffer.of(5, 2, 0, 1, 1, 1, 1, 1, 0, 80)]), Buffer.concat([WELCOME, reply(7)])],
    ["UDP", Buffer.concat([HELLO, Buffer.of(5, 3, 0, 1, 1, 1, 1, 1, 0, 80)]), Buffer.concat([WELCOME, reply(7)])],
    [
      "another version",
      Buffer.concat([HELLO, Buffer.of(4, 1, 0, 1, 1, 1, 1, 1, 0, 80)]),
      Buffer.concat([WELCOME, reply(7)]),
    ],
    [
      "no such address type",
      Buffer.concat([HELLO, request(9, Buffer.of(1, 1, 1, 1))]),
      Buffer.concat([WELCOME, reply(8)]),
    ],
    ["password only", Buffer.of(5, 1, 2), Buffer.of(5, 0xff)],
    ["no method", Buffer.of(5, 0), Buffer.of(5, 0xff)],
  ];
  const answers: Array<[string, Buffer, Buffer]> = [];
  for (const [what, sent] of table) {
    const client = await dialProxy(port);
    client.send(sent);
    answers.push([what, sent, Buffer.from(await client.rest(), "latin1")]);
  }
  assert.deepEqual(answers, table);
  assert.deepEqual(proxy.refused(), [
    "the jail refused a connection to evil.example:443: evil.example isn't among the hosts that this command may reach",
    "the jail refused a connection to ?:443: that isn't a host name or an address",
    "the jail refused a connection to 127.0.0.1:443: 127.0.0.1 is the machine itself",
  ]);
});
