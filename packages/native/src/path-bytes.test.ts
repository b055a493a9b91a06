import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOfPath, isUnspeakable, nodePath, pathFromBytes } from "./path-bytes.ts";

test("any bytes come back as they were, and different bytes stay different", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (one, other) => {
      assert.deepEqual(bytesOfPath(pathFromBytes(Buffer.from(one))), Buffer.from(one));
      const same = Buffer.compare(Buffer.from(one), Buffer.from(other)) === 0;
      assert.equal(pathFromBytes(Buffer.from(one)) === pathFromBytes(Buffer.from(other)), same);
    }),
  );
});

test("text stays text, also with emoji, a byte order mark and the replacement character", () => {
  for (const text of ["/a/ü", "/a/😀\n", "\uFEFFx", "/a/\uFFFD"]) {
    assert.equal(pathFromBytes(Buffer.from(text)), text);
    assert.equal(isUnspeakable(text), false);
    assert.equal(nodePath(text), text);
  }
});

test("bytes that aren't UTF-8 stay next to text that is", () => {
  const bytes = Buffer.concat([
    Buffer.from("/a/😀\u{10080}"),
    Buffer.from([0xff, 0xc3]),
    Buffer.from("é/.env"),
    Buffer.from([0xed, 0xb2, 0x80]),
  ]);
  const path = pathFromBytes(bytes);
  assert.equal(path, "/a/😀\u{10080}\udcff\udcc3é/.env\udced\udcb2\udc80");
  assert.equal(isUnspeakable(path), true);
  assert.deepEqual(nodePath(path), bytes);
});
