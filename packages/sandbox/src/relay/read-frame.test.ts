import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExecdBinding, type ExecdCoverage, type ExecdFrame, MOST_DROPS } from "../delivery/frame.ts";
import { RELAY_LIMITS } from "./limits.ts";
import { frameForRefused, readFrame } from "./read-frame.ts";
import { RelayError } from "./relay-error.ts";

const binding: Required<ExecdBinding> = {
  ...{ sandbox_id: "box", endpoint: "/command", route: "POST /command", placement: "execd", sent_as: "//command" },
  started_at: "2026-01-02T03:04:04.000Z",
};
const coverage: Required<ExecdCoverage> = {
  ...{ covers: ["command"], excludes: [], placement: "execd", opensandbox_version: "1.0.22", limits: ["One."] },
};
/** Everything that a proxy can say: what is added there has to be taken here. */
const frame: Required<ExecdFrame> = {
  ...{ v: "1", ts_emit: "2026-01-02T03:04:05.678Z", session_id: "box", channel: "opensandbox_execd" },
  ...{ tool: { name: "POST /command", server: "execd" }, action_type: "system.command.execute", decision: "allowed" },
  ...{ input: { command: "true" }, output: { exit_code: 0 }, error: "none", correlation_id: "c", idempotency_key: "k" },
  ...{ binding, coverage, enforcement: "none" },
};
const bytesOf = (value: object) => Buffer.from(JSON.stringify(value));

test("everything that a proxy can say goes to the recorder as it is, under a key of its sandbox", () => {
  const { key, sandboxId, bytes } = readFrame(bytesOf({ ...frame, drop_count: 2 }), "box");
  assert.deepEqual([key, sandboxId], ["k@box", "box"]);
  assert.deepEqual(JSON.parse(bytes.toString()), { ...frame, drop_count: 2, idempotency_key: "k@box", ack: true });
});

test("a frame that is longer as it goes than as it came is refused where the recorder wouldn't read it", () => {
  const grown = (numbers: number) => {
    const line = JSON.stringify({ ...frame, input: { a: [] } }).replace("[]", `[${"1e20,".repeat(numbers)}1e20]`);
    assert.ok(line.length < RELAY_LIMITS.frameBytes);
    return readFrame(Buffer.from(line), "box");
  };
  assert.ok(grown(40_000).bytes.length > 40_000 * 20);
  assert.throws(
    () => grown(200_000),
    (cause) => cause instanceof RelayError && cause.code === "FRAME_TOO_LONG" && cause.status === 413,
  );
});

test("a frame that tells of more drops than anyone has is refused; one that tells of as many as it may can be told of", () => {
  const most = readFrame(bytesOf({ ...frame, drop_count: MOST_DROPS }), "box");
  assert.equal(JSON.parse(frameForRefused(most, "INVALID_FRAME").bytes.toString()).drop_count, MOST_DROPS);
  for (const drop_count of [MOST_DROPS + 1, Number.MAX_SAFE_INTEGER])
    assert.throws(
      () => readFrame(bytesOf({ ...frame, drop_count }), "box"),
      (cause) => cause instanceof RelayError && cause.code === "INVALID_FRAME" && cause.message.includes("drop_count"),
    );
});

test("what is said in place of a refused frame tells of it and of what it told of, under a key that follows from its", () => {
  const long = "k".repeat(110);
  const sandboxId = "b".repeat(128);
  const own = {
    ...frame,
    idempotency_key: long,
    session_id: sandboxId,
    binding: { ...binding, sandbox_id: sandboxId },
  };
  const read = readFrame(bytesOf({ ...own, drop_count: 2 }), sandboxId);
  const [one, same] = [frameForRefused(read, "INVALID_FRAME"), frameForRefused(read, "INVALID_FRAME")];
  assert.deepEqual(one, same);
  const told = JSON.parse(one.bytes.toString());
  assert.equal(told.drop_count, 3);
  assert.ok(told.idempotency_key.length <= 256);
  assert.match(told.error, /INVALID_FRAME/);
});
