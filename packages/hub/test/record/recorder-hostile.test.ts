import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import type { Log } from "@countersign/core/base";
import { emitted, frame, framed, openEmitter, startRecording, verifiedReceipts } from "../support/emitter-fixture.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/serve-fixture.ts";

/** Lines about frames. */
function watchedLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const note = (fields: object) => {
    if ("code" in fields) lines.push(String(fields.code));
  };
  return { log: { info: () => undefined, warn: note, error: note }, lines };
}

const text = (more: string) => `${JSON.stringify(frame()).slice(0, -1)},${more}}`;
const header = (length: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
};
const holding = (...bytes: number[]) =>
  Buffer.concat([Buffer.from('{"v":"1","x":"'), Buffer.from(bytes), Buffer.from('"}')]);

/** What is sent, what it is counted as, and whether the connection is closed for it. */
const BAD: readonly [string, Buffer, string, boolean][] = [
  ["a frame of no length", header(0), "EMPTY_FRAME", true],
  ["a frame one byte too long", header(1024 * 1024 + 1), "FRAME_TOO_LONG", true],
  ["a length of all ones", Buffer.alloc(4, 0xff), "FRAME_TOO_LONG", true],
  ["a web request", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "FRAME_TOO_LONG", true],
  ["no JSON", framed("{"), "BAD_JSON", true],
  ["two values", framed("{} {}"), "BAD_JSON", true],
  ["bytes that are no UTF-8", framed(holding(0xff)), "INVALID_UTF8", true],
  ["half a pair of surrogates as bytes", framed(holding(0xed, 0xa0, 0x80)), "INVALID_UTF8", true],
  ["a character that takes more bytes than it needs", framed(holding(0xc0, 0xaf)), "INVALID_UTF8", true],
  ["a number that is none", framed(text('"input":NaN')), "BAD_JSON", true],
  ["a byte order mark", framed(`\ufeff${JSON.stringify(frame())}`), "BAD_JSON", true],
  ["no object", framed("[]"), "INVALID_FRAME", false],
  ["null", framed("null"), "INVALID_FRAME", false],
  ["half a pair of surrogates", framed(text('"input":"\\ud800"')), "LONE_SURROGATE", false],
  ["the same key twice", framed(text('"v":"1"')), "DUPLICATE_KEY", false],
  ["a number that no double holds", framed(text('"input":9007199254740993')), "NUMBER_RANGE", false],
  ["a number past all doubles", framed(text('"input":1e400')), "NUMBER_RANGE", false],
  ["a well of arrays", framed(text(`"input":${"[".repeat(100_000)}${"]".repeat(100_000)}`)), "TOO_DEEP", false],
  ["a well of objects", framed(text(`"input":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)), "TOO_DEEP", false],
  ["another version", framed(frame({ v: "9" })), "UNKNOWN_VERSION", false],
  ["a version that is a number", framed(frame({ v: 1 })), "INVALID_FRAME", false],
  ["no version", framed(frame({ v: undefined })), "INVALID_FRAME", false],
  ["a decision that there isn't", framed(frame({ decision: "approved" })), "INVALID_FRAME", false],
  ["a decision as the hub makes them", framed(frame({ decision: { verdict: "allow" } })), "INVALID_FRAME", false],
  ["the hub's own channel", framed(frame({ channel: "countersign" })), "RESERVED_CHANNEL", false],
  [
    "a decision of the hub's by its type",
    framed(frame({ action_type: "dev.countersign.policy.change" })),
    "RESERVED_TYPE",
    false,
  ],
  ["a session that is no text", framed(frame({ session_id: { $ne: "" } })), "INVALID_FRAME", false],
  ["a session that ends before its end", framed(frame({ session_id: "s\u0000t" })), "INVALID_FRAME", false],
  ["a session that is too long", framed(frame({ session_id: "s".repeat(257) })), "INVALID_FRAME", false],
  ["a key that is a number", framed(frame({ idempotency_key: 7 })), "INVALID_FRAME", false],
  ["a key that is too long", framed(frame({ idempotency_key: "k".repeat(257) })), "INVALID_FRAME", false],
  ["fewer drops than none", framed(frame({ drop_count: -1 })), "INVALID_FRAME", false],
  ["half a drop", framed(frame({ drop_count: 0.5 })), "INVALID_FRAME", false],
  ["more drops than can be counted", framed(frame({ drop_count: 2 ** 53 })), "INVALID_FRAME", false],
  ["more drops than anyone has", framed(frame({ drop_count: 1_000_000_001 })), "INVALID_FRAME", false],
];

for (const [what, bytes, code, closes] of BAD) {
  test(`${what}: one line, one count, and nobody else notices`, async (t) => {
    const { log, lines } = watchedLog();
    const s = await startRecording(t, { log });
    const path = s.path;
    const other = await openEmitter(t, path);
    other.send(frame({ ack: true }));
    await other.answers(1);
    const before = (await verifiedReceipts(s)).length;
    const bad = await openEmitter(t, path);
    bad.socket.write(bytes);
    await eventually(() => s.counted(code) === 1);
    assert.deepEqual(lines, [code]);
    if (closes) await bad.closed();
    else {
      bad.send(frame({ ack: true }));
      assert.ok((await bad.answers(1))[0]?.seq);
    }
    assert.equal((await verifiedReceipts(s)).length, before + (closes ? 0 : 1));
    other.send(frame({ ack: true }));
    assert.ok((await other.answers(2))[1]?.seq);
  });
}

test("who asked for an answer gets the code, also where the frame is refused for how it is written", async (t) => {
  const s = await startRecording(t);
  const emitter = await openEmitter(t, s.path);
  emitter.socket.write(framed(text('"ack":true,"input":"\\ud800"')));
  emitter.send(frame({ ack: true }), frame({ ack: true, v: "3" }));
  const answers = await emitter.answers(3);
  assert.deepEqual(
    answers.map(({ error }) => error?.code),
    ["LONE_SURROGATE", undefined, "UNKNOWN_VERSION"],
  );
});

test("a frame that stops half-way, or trickles in for ever, is given up", async (t) => {
  const { log, lines } = watchedLog();
  const clock = new FakeClock();
  const s = await startRecording(t, { log, clock });
  const path = s.path;
  const cut = await openEmitter(t, path);
  cut.socket.end(framed(frame()).subarray(0, 30));
  await cut.closed();
  const slow = await openEmitter(t, path);
  const bytes = framed(frame());
  slow.socket.write(bytes.subarray(0, 1));
  for (let at = 1; at < 4; at += 1) {
    await written(slow);
    clock.advance(10_001);
    slow.socket.write(bytes.subarray(at, at + 1));
  }
  await slow.closed();
  assert.deepEqual(lines, ["HALF_FRAME", "HALF_FRAME"]);
  assert.equal(s.counted("HALF_FRAME"), 2);
  const [none] = await emitted(s);
  assert.equal(none, undefined);
});

/** What was written has been read: the loop has turned since, and both ends are in this process. */
async function written({ socket }: { readonly socket: Socket }): Promise<void> {
  await eventually(() => socket.writableLength === 0);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("frames come in any pieces", async (t) => {
  const s = await startRecording(t);
  const emitter = await openEmitter(t, s.path);
  const bytes = Buffer.concat([frame({ ack: true }), frame({ ack: true, input: "é".repeat(5_000) })].map(framed));
  for (let at = 0; at < bytes.length; at += 777) {
    emitter.socket.write(bytes.subarray(at, at + 777));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal((await emitter.answers(2)).length, 2);
});

test("the same fault over and over is one line; every one is counted", async (t) => {
  const { log, lines } = watchedLog();
  const s = await startRecording(t, { log });
  const emitter = await openEmitter(t, s.path);
  emitter.send(...Array.from({ length: 500 }, () => frame({ v: "7" })), frame({ ack: true }));
  await emitter.answers(1);
  assert.deepEqual(lines, ["UNKNOWN_VERSION"]);
  assert.equal(s.counted("UNKNOWN_VERSION"), 500);
});

test("a user that opens too many connections is turned away; those that stand go on", async (t) => {
  const s = await startRecording(t, { limits: { emitterConnectionsPerUser: 2 } });
  const path = s.path;
  const [one, two, three] = [await openEmitter(t, path), await openEmitter(t, path), await openEmitter(t, path)];
  await three.closed();
  for (const emitter of [one, two]) emitter.send(frame({ ack: true }));
  await Promise.all([one.answers(1), two.answers(1)]);
  assert.equal(s.counted("TOO_MANY_CONNECTIONS"), 1);
});

test("an emitter that never reads its answers holds up only itself, and not the end", async (t: TestContext) => {
  const s = await startRecording(t, { limits: { emitterFramesWaiting: 8 } });
  const deaf = await openEmitter(t, s.path);
  deaf.socket.pause();
  const many = Buffer.concat(Array.from({ length: 20_000 }, () => framed(frame({ ack: true, v: "4" }))));
  deaf.socket.write(many);
  const other = await openEmitter(t, s.path);
  other.send(frame({ ack: true }));
  await other.answers(1);
  await s.close();
});
