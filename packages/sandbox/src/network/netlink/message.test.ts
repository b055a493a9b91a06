import assert from "node:assert/strict";
import { test } from "node:test";
import { attribute, attributesOf, be16, be32, messagesIn, nested, nestedIn, request } from "./message.ts";

test("what is written is read again, padding and nesting included", () => {
  const attributes = [
    attribute(8, be32(0xfffe0000)),
    nested(1, attribute(2, be16(443)), attribute(3, Buffer.from("abc"))),
  ];
  const bytes = request({ type: 0x101, flags: 0x301, sequence: 7, family: 2, resource: 9, attributes });
  const [first, ...others] = [...messagesIn(Buffer.concat([bytes, bytes]))];
  assert.equal(others.length, 1);
  assert.deepEqual([first?.type, first?.flags, first?.sequence], [0x101, 0x301, 7]);
  const read = attributesOf(first?.body ?? Buffer.alloc(0));
  assert.equal(read.get(8)?.readUInt32BE(), 0xfffe0000);
  assert.deepEqual(
    [...nestedIn(read, 1)].map(([type, value]) => [type, value.toString("hex")]),
    [
      [2, "01bb"],
      [3, "616263"],
    ],
  );
});

test("lengths that make no sense end it, and nothing is read past the end", () => {
  const whole = request({ type: 1, flags: 0, sequence: 1, attributes: [attribute(1, Buffer.alloc(6))] });
  for (const length of [0, 15, whole.length + 1, 0xffffffff]) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32LE(length);
    assert.deepEqual([...messagesIn(bytes)], []);
  }
  const body = whole.subarray(16);
  for (const length of [0, 3, 200, 0xffff]) {
    const bytes = Buffer.from(body);
    bytes.writeUInt16LE(length, 4);
    assert.equal(attributesOf(bytes).size, 0);
  }
  for (let end = 0; end < whole.length; end += 1)
    for (const message of messagesIn(whole.subarray(0, end))) attributesOf(message.body);
});
