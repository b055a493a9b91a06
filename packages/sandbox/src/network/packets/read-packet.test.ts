import assert from "node:assert/strict";
import { test } from "node:test";
import { addressText } from "../text/address-text.ts";
import { readPacket } from "./read-packet.ts";

test("IPv4 and IPv6, with options before the ports", () => {
  const v4 = Buffer.from("46000022000040004011000a0a4d01020a4d0902000000000fa002bc000e0000616263", "hex");
  const { payload, ...rest } = readPacket(v4) ?? { payload: Buffer.alloc(0) };
  assert.deepEqual(rest, { src: "10.77.1.2", dst: "10.77.9.2", bytes: 34, protocol: 17, srcPort: 4_000, dstPort: 700 });
  assert.equal(payload.toString(), "abc");
  const head = Buffer.from("60000000001c0040", "hex");
  const address = (last: number) => Buffer.concat([Buffer.from("fd77", "hex"), Buffer.alloc(13), Buffer.from([last])]);
  const hop = Buffer.from("0600000000000000", "hex");
  const tcp = Buffer.from("0fa0005000000000000000005002000000000000", "hex");
  const v6 = Buffer.concat([head, address(1), address(2), hop, tcp]);
  const read = readPacket(v6);
  assert.deepEqual([read?.dst, read?.protocol, read?.dstPort, read?.bytes], ["fd77::2", 6, 80, 68]);
  for (const whole of [v4, v6]) for (let end = 0; end < whole.length; end += 1) readPacket(whole.subarray(0, end));
  assert.equal(readPacket(Buffer.from([0x50, 0, 0])), undefined);
});

test("addresses are written as RFC 5952 has it", () => {
  const text = (hex: string) => addressText(Buffer.from(hex, "hex"));
  assert.equal(text("20010db8000000000001000000000001"), "2001:db8::1:0:0:1");
  assert.equal(text("20010db8000100010001000100010001"), "2001:db8:1:1:1:1:1:1");
  assert.equal(text("20010db8000000010001000100010001"), "2001:db8:0:1:1:1:1:1");
  assert.equal(text("00000000000000000000000000000000"), "::");
  assert.equal(text("00000000000000000000000000000001"), "::1");
  assert.equal(text("0102"), undefined);
});
