import assert from "node:assert/strict";
import { test } from "node:test";
import { Backpressure } from "./backpressure.ts";
import { FrameError } from "./frame-error.ts";

const LIMITS = { hubBehind: 4, emitterFramesWaiting: 3, emitterBytesPerSecond: 100 };

/** Lets many in at once; who is in, and how to have the oldest leave. */
function gate() {
  const backpressure = new Backpressure(LIMITS);
  const inside: string[] = [];
  const leave: (() => void)[] = [];
  const come = async (uid: number, name: string, bytes = 1) => {
    const done = await backpressure.enter(uid, bytes);
    inside.push(name);
    leave.push(done);
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { backpressure, inside, come, settled, leaveOne: () => leave.shift()?.() };
}

test("who comes while the hub is behind waits: one user's turn after the other's, each in their order", async () => {
  const { backpressure, inside, come, settled } = gate();
  backpressure.hub({ behind: 4, sent: 0 });
  for (const name of ["a1", "a2", "a3"]) void come(1, name);
  void come(2, "b1");
  await settled();
  assert.deepEqual(inside, []);
  backpressure.hub({ behind: 2, sent: 1 });
  await settled();
  assert.deepEqual(inside, ["a1", "b1"]);
  // Far behind, half as many come in as go out.
  backpressure.hub({ behind: 1_000, sent: 2 });
  await settled();
  assert.deepEqual(inside, ["a1", "b1", "a2"]);
  // Nobody overtakes their own.
  void come(1, "a4");
  backpressure.hub(undefined);
  await settled();
  assert.deepEqual(inside, ["a1", "b1", "a2", "a3", "a4"]);
});

test("what was let in counts until it is on record, or wasn't put there", async () => {
  const { backpressure, inside, come, settled, leaveOne } = gate();
  backpressure.hub({ behind: 2, sent: 0 });
  for (const name of ["a", "b", "c"]) void come(1, name);
  await settled();
  assert.deepEqual(inside, ["a", "b"]);
  leaveOne();
  await settled();
  assert.deepEqual(inside, ["a", "b", "c"]);
});

test("only so many wait, and so much; one user's aren't another's", async () => {
  const { backpressure, come } = gate();
  const refuses = (code: string) => (error: unknown) => error instanceof FrameError && error.code === code;
  backpressure.hub({ behind: 4, sent: 0 });
  void come(1, "large", 60);
  await assert.rejects(come(1, "larger", 60), refuses("TOO_MANY_BYTES"));
  for (const name of ["a", "b"]) void come(1, name);
  await assert.rejects(come(1, "c"), refuses("TOO_MANY_FRAMES"));
  const other = come(2, "d");
  backpressure.hub(undefined);
  await other;
});
