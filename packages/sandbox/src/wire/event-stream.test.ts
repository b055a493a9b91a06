import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventReader, type ExecdEvent } from "./event-stream.ts";

function read(chunks: readonly Buffer[]): { events: ExecdEvent[]; unread: number } {
  const events: ExecdEvent[] = [];
  const reader = new EventReader((event) => events.push(event));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { events, unread: reader.unread };
}

test("events are the same however the stream is cut", () => {
  const event = fc.record(
    { type: fc.constantFrom("stdout", "stderr", "ping"), text: fc.string({ unit: "grapheme" }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(event), fc.array(fc.nat({ max: 400 })), (events, cuts) => {
      const stream = Buffer.from(events.map((one) => `${JSON.stringify(one)}\n\n`).join(""));
      const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
      const chunks = places.slice(1).map((end, index) => stream.subarray(places[index], end));
      assert.deepEqual(read(chunks), { events, unread: 0 });
    }),
  );
});

test("an error that came too late is seen, behind an event or alone", () => {
  const late = '{"code":"RUNTIME_ERROR","message":"x"}';
  assert.deepEqual(read([Buffer.from(`{"type":"init","text":"1"}\n\n${late}`)]).events.at(-1), JSON.parse(late));
  assert.deepEqual(read([Buffer.from(`{"type":"init","text":"1"}${late}`)]).events, [
    { type: "init", text: "1" },
    JSON.parse(late),
  ]);
});

test("what is no event is counted and passed over", () => {
  assert.deepEqual(read([Buffer.from('nonsense\n\n[1]\n\ndata: {"type":"ping"}\n\n')]), {
    events: [{ type: "ping" }],
    unread: 2,
  });
  const long = Buffer.from(`{"type":"stdout","text":"${"x".repeat(5 * 1024 * 1024)}"}\n\n{"type":"ping"}\n\n`);
  assert.deepEqual(read([long.subarray(0, 1e6), long.subarray(1e6)]), { events: [{ type: "ping" }], unread: 1 });
});
