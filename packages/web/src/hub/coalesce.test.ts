import assert from "node:assert/strict";
import { test } from "node:test";
import { Coalesced } from "./coalesce.ts";

test("requests during a run share the next run", async () => {
  const ends: (() => void)[] = [];
  const rounds = new Coalesced(() => new Promise((resolve) => ends.push(resolve)));
  const first = rounds.want();
  const others = [rounds.want(), rounds.want(), rounds.want()];
  assert.equal(ends.length, 1);
  ends[0]?.();
  await first;
  assert.equal(ends.length, 2, "begun after they wanted it");
  ends[1]?.();
  await Promise.all(others);
  assert.equal(ends.length, 2);
});

test("a failed run rejects for its caller, and the next one runs", async () => {
  let count = 0;
  const rounds = new Coalesced(async () => {
    count += 1;
    if (count === 1) throw new Error("once");
  });
  const first = rounds.want();
  const second = rounds.want();
  await assert.rejects(first, /once/);
  await second;
  assert.equal(count, 2);
});
