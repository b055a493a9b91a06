import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PtyFrameReader, type PtyPiece } from "./pty-frames.ts";

interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

function frame(
  { opcode, payload }: Message,
  { mask, last = true, first = true }: { mask?: Buffer; last?: boolean; first?: boolean },
): Buffer {
  const length = payload.length;
  const size =
    length < 126 ? [length] : length < 65536 ? [126, length >> 8, length & 255] : [127, 0, 0, 0, 0, ...u32(length)];
  size[0] = (size[0] as number) | (mask ? 0x80 : 0);
  const body = mask ? Buffer.from(payload.map((byte, index) => byte ^ (mask[index & 3] as number))) : payload;
  return Buffer.concat([
    Buffer.from([(last ? 0x80 : 0) | (first ? opcode : 0), ...size]),
    mask ?? Buffer.alloc(0),
    body,
  ]);
}

const u32 = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];

/** What was read, with neighbours of a kind put together. */
function read(stream: Buffer, cuts: readonly number[], mustMask = false): { kind: string; text: string }[] {
  const read: { kind: string; text: string }[] = [];
  const reader = new PtyFrameReader(
    (piece: PtyPiece) => {
      const kind = piece.kind === "replay" ? `replay@${piece.offset}` : piece.kind;
      const text = (piece.kind === "control" ? piece.json : piece.bytes).toString("latin1");
      const before = read.at(-1);
      if (before && (before.kind === kind || before.kind.startsWith("replay"))) before.text += text;
      else read.push({ kind, text });
    },
    { mustMask },
  );
  const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
  for (const [index, end] of places.slice(1).entries()) reader.push(stream.subarray(places[index], end));
  return read;
}

test("messages are the same masked or not, in pieces or whole, with pings between them", () => {
  const mask = fc.option(
    fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    { nil: undefined },
  );
  const payload = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(payload, mask, fc.nat({ max: 300 }), fc.array(fc.nat({ max: 800 })), (bytes, key, split, cuts) => {
      const options = key ? { mask: key } : {};
      const stdin = Buffer.concat([Buffer.from([0]), bytes]);
      const at = Math.min(split, stdin.length);
      const stream = Buffer.concat([
        frame({ opcode: 2, payload: stdin.subarray(0, at) }, { ...options, last: false }),
        frame({ opcode: 9, payload: Buffer.from("ping") }, options),
        frame({ opcode: 2, payload: stdin.subarray(at) }, { ...options, first: false }),
        frame({ opcode: 1, payload: Buffer.from('{"type":"exit"}') }, options),
        frame({ opcode: 8, payload: Buffer.alloc(0) }, options),
      ]);
      assert.deepEqual(read(stream, cuts), [
        { kind: "stdin", text: bytes.toString("latin1") },
        { kind: "control", text: '{"type":"exit"}' },
      ]);
    }),
  );
});

test("at a frame that may not be, reading ends", () => {
  const mask = Buffer.from([1, 2, 3, 4]);
  const typed = (text: string) => ({ opcode: 2, payload: Buffer.from(`\0${text}`) });
  const ping = { opcode: 9, payload: Buffer.from("ping") };
  const reserved = frame(ping, { mask });
  reserved[0] = 0xc9;
  const broken: readonly (readonly [what: string, bytes: Buffer])[] = [
    ["unmasked", frame(typed("b"), {})],
    ["nothing to go on with", frame(typed("b"), { mask, first: false })],
    ["no such kind", frame({ opcode: 3, payload: Buffer.from("b") }, { mask })],
    ["half a ping", frame(ping, { mask, last: false })],
    ["a long ping", frame({ opcode: 9, payload: Buffer.alloc(126) }, { mask })],
    ["an extension's ping", reserved],
  ];
  for (const [what, bytes] of broken) {
    const stream = Buffer.concat([frame(typed("a"), { mask }), bytes, frame(typed("c"), { mask })]);
    for (const cuts of [[], [...stream.keys()]])
      assert.deepEqual(
        read(stream, cuts, true),
        [
          { kind: "stdin", text: "a" },
          { kind: "unread", text: "" },
        ],
        what,
      );
  }
  const inside = Buffer.concat([frame(typed("a"), { mask, last: false }), frame(typed("b"), { mask })]);
  assert.deepEqual(read(inside, [], true).at(-1), { kind: "unread", text: "" }, "one inside another");
});

test("replayed output has its offset", () => {
  const replay = frame({ opcode: 2, payload: Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 2, 0x61, 0x62]) }, {});
  for (let cut = 1; cut < replay.length; cut++)
    assert.deepEqual(read(replay, [cut]), [{ kind: "replay@258", text: "ab" }]);
});

test("long messages, and what can't be read", () => {
  const long = Buffer.concat([Buffer.from([1]), Buffer.alloc(70_000, "x")]);
  assert.equal(read(frame({ opcode: 2, payload: long }, {}), [5000])[0]?.text.length, 70_000);
  const compressed = frame({ opcode: 2, payload: Buffer.from([1, 2]) }, {});
  compressed[0] = 0xc2;
  assert.equal(read(compressed, [])[0]?.kind, "unread");
  assert.equal(read(frame({ opcode: 1, payload: Buffer.alloc(300_000, "x") }, {}), [1000])[0]?.kind, "unread");
});
