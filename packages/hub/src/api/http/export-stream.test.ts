import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { HubError } from "@countersign/core/errors";
import type { ExportedPart } from "@countersign/receipts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { exportStream } from "./export-stream.ts";

function open(count: number) {
  const clock = new FakeClock();
  const left = new AbortController();
  let ends = 0;
  async function* parts(): AsyncGenerator<ExportedPart> {
    for (let at = 0; at < count; at += 1) yield { text: "x".repeat(64 * 1024), receipts: 1 };
  }
  const end = () => {
    ends += 1;
  };
  const stream = exportStream(parts(), { left, clock, idleMs: 60_000, end });
  return { clock, left, reader: stream.getReader(), ends: () => ends };
}

test("exportStream ends when nothing is taken for a minute", async () => {
  const { clock, left, reader, ends } = open(10);
  for (let taken = 0; taken < 3; taken += 1) {
    assert.equal((await reader.read()).done, false);
    await setImmediate();
    clock.advance(59_999);
    assert.equal(left.signal.aborted, false, "slow is not idle");
  }
  clock.advance(1);
  assert.ok(left.signal.reason instanceof HubError && left.signal.reason.code === "LIMIT");
  assert.match(left.signal.reason.message, /limit: exportIdleMs/);
  assert.equal(ends(), 1);
  // One piece was ready; then it breaks off instead of ending.
  await reader.read();
  await assert.rejects(reader.read(), { code: "LIMIT" });
});

test("exportStream sets no timer after its end", async () => {
  const { clock, left, reader, ends } = open(2);
  for (;;) if ((await reader.read()).done) break;
  clock.advance(120_000);
  assert.deepEqual([left.signal.aborted, ends()], [false, 1]);
});
