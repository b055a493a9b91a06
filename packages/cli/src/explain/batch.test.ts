import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { explainBatch } from "./batch.ts";

const CHUNKS = 50;

test("batch reads no further than its answers are taken, and everything arrives in order", async () => {
  let read = 0;
  const input = (async function* () {
    for (; read < CHUNKS; read += 1) yield Buffer.from(`${JSON.stringify({ cmd: `echo ${read}` })}\n`);
  })();
  const written: string[] = [];
  const held: (() => void)[] = [];
  let holding = true;
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      written.push(chunk.toString());
      if (holding) held.push(done);
      else done();
    },
  });
  const ended = explainBatch(input, output);
  for (let turns = 0; turns < 1_000; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([read, written.length], [0, 1], "one chunk was read, and no other while its answer isn't taken");
  holding = false;
  for (const done of held) done();
  assert.equal(await ended, 0);
  const commands = written.join("").trimEnd().split("\n");
  assert.deepEqual(
    commands.map((line) => JSON.parse(line).cmd),
    Array.from({ length: CHUNKS }, (_, index) => `echo ${index}`),
  );
});
