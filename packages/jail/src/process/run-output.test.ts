import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutputEvent, OutputStreamName } from "@countersign/protocol/proposals";
import fc from "fast-check";
import { followOutput } from "../../../hub/src/runs/follow-output.ts";
import { RunOutput } from "./run-output.ts";

interface Written {
  readonly stream: OutputStreamName;
  readonly text: string;
}

const WRITES = fc.array(
  fc.record({
    stream: fc.constantFrom<OutputStreamName>("stdout", "stderr"),
    text: fc.string({ unit: fc.constantFrom("a", "\n", "é", "漢", "😀"), minLength: 1, maxLength: 30 }),
  }),
  { maxLength: 60 },
);
const NEVER = new AbortController().signal;

function textOf(writes: readonly Written[], stream: OutputStreamName): Buffer {
  return Buffer.from(writes.flatMap((write) => (write.stream === stream ? write.text : [])).join(""));
}

async function readAll(output: RunOutput, after?: string): Promise<OutputEvent[]> {
  const events: OutputEvent[] = [];
  for await (const event of followOutput(output, { after, signal: NEVER })) events.push(event);
  return events;
}

/** Neighbours of one stream as one. */
function joined(events: readonly Written[]): Written[] {
  const whole: { stream: OutputStreamName; text: string }[] = [];
  for (const { stream, text } of events) {
    const last = whole.at(-1);
    if (last?.stream === stream) last.text += text;
    else whole.push({ stream, text });
  }
  return whole;
}

test("what fits is told in the order in which it was written, and apart", async () => {
  await fc.assert(
    fc.asyncProperty(WRITES, async (writes) => {
      const output = new RunOutput(1024 * 1024);
      for (const { stream, text } of writes) output.writeText(stream, text);
      output.finish(undefined);
      const events = await readAll(output);
      assert.deepEqual(joined(events), joined(writes));
      assert.ok(events.every(({ omitted }) => omitted === undefined));
      for (const stream of ["stdout", "stderr"] as const) {
        assert.equal(output.toText(stream), textOf(writes, stream).toString());
      }
    }),
  );
});

test("of what doesn't fit every byte is told or counted, whenever it is read, and the ends are always there", async () => {
  await fc.assert(
    fc.asyncProperty(WRITES, fc.integer({ min: 8, max: 200 }), fc.nat(5), async (writes, maxBytes, every) => {
      const output = new RunOutput(maxBytes);
      const reader = followOutput(output, { signal: NEVER });
      const events: OutputEvent[] = [];
      for (const [index, { stream, text }] of writes.entries()) {
        output.writeText(stream, text);
        if (index % (every + 1) === every) events.push((await reader.next()).value as OutputEvent);
      }
      output.finish(undefined);
      for await (const event of reader) events.push(event);
      const at = { stdout: 0, stderr: 0 };
      for (const { stream, text, omitted = 0, id } of events.filter(Boolean)) {
        const from = at[stream] + omitted;
        at[stream] = from + Buffer.byteLength(text);
        assert.equal(text, textOf(writes, stream).subarray(from, at[stream]).toString());
        assert.equal(id, `${at.stdout}-${at.stderr}`);
      }
      assert.deepEqual([at.stdout, at.stderr], [textOf(writes, "stdout").length, textOf(writes, "stderr").length]);
    }),
  );
});

test("who comes back with the id of an event gets what follows it", async () => {
  await fc.assert(
    fc.asyncProperty(WRITES, fc.integer({ min: 8, max: 400 }), async (writes, maxBytes) => {
      const output = new RunOutput(maxBytes);
      for (const { stream, text } of writes) output.writeText(stream, text);
      output.finish(undefined);
      const events = await readAll(output);
      for (const [index, { id }] of events.entries())
        assert.deepEqual(await readAll(output, id), events.slice(index + 1));
    }),
  );
});

test("an id from nowhere tells no half characters and nothing that isn't there", async () => {
  const output = new RunOutput(1_000);
  output.writeText("stdout", "漢字");
  output.writeText("stderr", "x");
  output.finish(undefined);
  const texts = async (after: string) => (await readAll(output, after)).map(({ text }) => text).join("");
  assert.equal(await texts("1-0"), "字x");
  assert.equal(await texts("999999-0"), "x");
  assert.equal(await texts("999999999999999-999999999999999"), "");
  assert.equal(await texts("nonsense"), "漢字x");
});

test("streams that alternate without end cost bounded memory, lose nothing that fits, and stay in order by blocks", async () => {
  const output = new RunOutput(4 * 1024 * 1024);
  const rounds = 200_000;
  for (let n = 0; n < rounds; n += 1) {
    output.writeText("stdout", `o${n}\n`);
    output.writeText("stderr", `e${n}\n`);
  }
  output.finish(undefined);
  assert.ok(output.size < 10 * 1024 * 1024, `${output.size} bytes`);
  const events = await readAll(output);
  const all = { stdout: "", stderr: "" };
  for (const { stream, text } of events) all[stream] += text;
  for (const stream of ["stdout", "stderr"] as const) assert.equal(all[stream].split("\n").length, rounds + 1);
  const last = events.slice(-4).map(({ text }) => text);
  assert.deepEqual(last, [`o${rounds - 2}\n`, `e${rounds - 2}\n`, `o${rounds - 1}\n`, `e${rounds - 1}\n`]);
});

test("after a start that came to nothing the output is empty, and readers go on where they are", async () => {
  const output = new RunOutput(100);
  const reader = followOutput(output, { signal: NEVER });
  output.writeText("stderr", "bwrap: no");
  assert.equal((await reader.next()).value?.text, "bwrap: no");
  output.restart();
  output.writeText("stderr", "yes");
  assert.equal(output.toText("stderr"), "yes");
  assert.deepEqual((await reader.next()).value, { id: "0-12", stream: "stderr", text: "yes" });
  output.finish(undefined);
  assert.deepEqual(await readAll(output), [{ id: "0-12", stream: "stderr", text: "yes" }]);
});

test("bytes become text: characters cut between chunks are whole, invalid ones replaced, secrets gone", async () => {
  const output = new RunOutput(1024 * 1024);
  const bytes = Buffer.concat([
    Buffer.from("漢😀 "),
    Buffer.from([0xff, 0xc3]),
    Buffer.from(` ghp_${"s".repeat(36)} end 😀`),
    Buffer.from([0xf0, 0x9f]),
  ]);
  for (const byte of bytes) output.write("stdout", Buffer.from([byte]));
  output.flush();
  output.finish(undefined);
  assert.equal(output.toText("stdout"), "漢😀 \ufffd\ufffd [REDACTED] end 😀\ufffd");
  assert.equal((await readAll(output)).map(({ text }) => text).join(""), output.toText("stdout"));
});

test("a secret is found wherever the chunks and the cap cut it", () => {
  const secrets = ["sk-ant-SSSSSSSSSSSSSSSSSSSSSSSSSSSS", "Bearer SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS"];
  for (const secret of secrets) {
    for (let shift = 0; shift < 120; shift += 1) {
      const output = new RunOutput(400);
      const text = Buffer.from(`${"x".repeat(shift)} ${`${secret} ab,\n`.repeat(40)}${"y".repeat(shift)}`);
      for (let at = 0; at < text.length; at += 64) output.write("stderr", text.subarray(at, at + 64));
      output.flush();
      assert.doesNotMatch(output.toText("stderr"), /SS/, `${secret.slice(0, 8)} at ${shift}`);
    }
  }
});

test("a reader waits for what comes, and leaves when it is told to", async () => {
  const output = new RunOutput(1_000);
  const leaving = new AbortController();
  const reader = followOutput(output, { signal: leaving.signal });
  const first = reader.next();
  output.writeText("stderr", "now");
  assert.deepEqual((await first).value, { id: "0-3", stream: "stderr", text: "now" });
  const second = reader.next();
  leaving.abort();
  assert.equal((await second).done, true);
});
