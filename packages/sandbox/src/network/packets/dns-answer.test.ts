import assert from "node:assert/strict";
import { test } from "node:test";
import { readDnsAnswer } from "./dns-answer.ts";

const name = (text: string) =>
  Buffer.from([...text.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]), 0]);
const POINTER = Buffer.from([0xc0, 12]);

function record(owner: Buffer, type: number, data: Buffer, ttl = 60): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(type);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt32BE(ttl, 4);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, middle, data]);
}

function answer(asked: string, records: readonly Buffer[], flags = 0x8180): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(flags, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, name(asked), Buffer.from([0, 1, 0, 1]), ...records]);
}

const A = Buffer.from([10, 0, 0, 1]);

test("addresses of what was asked, through other names, in both families", () => {
  const v6 = Buffer.from("fd000000000000000000000000000001", "hex");
  const records = [
    record(POINTER, 5, name("cdn.net")),
    record(name("CDN.net"), 1, A, 7),
    record(name("cdn.net"), 28, v6),
  ];
  assert.deepEqual(readDnsAnswer(answer("WWW.Example.org", records)), {
    name: "www.example.org",
    addresses: [
      { address: "10.0.0.1", ttlS: 7 },
      { address: "fd00::1", ttlS: 60 },
    ],
  });
});

test("what stands beside the answer isn't the name's", () => {
  const records = [record(name("bank.example"), 1, A), record(POINTER, 1, Buffer.alloc(5)), record(POINTER, 16, A)];
  assert.deepEqual(readDnsAnswer(answer("a.example", records)), { name: "a.example", addresses: [] });
});

test("questions, errors, names with strange bytes or in circles, and everything that is cut is nothing", () => {
  const good = answer("a.example", [record(POINTER, 1, A)]);
  const circle = answer("a.example", [record(Buffer.from([0xc0, 27]), 1, A)]);
  const strange = answer("a.exa mple", [record(POINTER, 1, A)]);
  for (const bytes of [
    answer("a.example", [], 0x0100),
    answer("a.example", [], 0x8183),
    answer("a", [], 0xa980),
    circle,
    strange,
  ])
    assert.equal(readDnsAnswer(bytes), undefined);
  for (let end = 0; end < good.length; end += 1) assert.equal(readDnsAnswer(good.subarray(0, end)), undefined);
  for (let at = 0; at < good.length; at += 1)
    for (const byte of [0, 0x3f, 0xc0, 0xff]) {
      const bytes = Buffer.from(good);
      bytes[at] = byte;
      readDnsAnswer(bytes);
    }
});
