import assert from "node:assert/strict";
import { test } from "node:test";
import { Tellings } from "./tellings.ts";

test("what waits for nothing is told at once, unless something before it waits", async () => {
  const tellings = new Tellings();
  const told: string[] = [];
  tellings.tell(null, () => told.push("first"));
  assert.deepEqual(told, ["first"]);
  const late = Promise.withResolvers<void>();
  tellings.tell(late.promise, () => told.push("late"));
  tellings.tell(null, () => told.push("after it"));
  tellings.tell(Promise.resolve(), () => told.push("last"));
  assert.deepEqual(told, ["first"]);
  late.resolve();
  await tellings.settled();
  assert.deepEqual(told, ["first", "late", "after it", "last"]);
  tellings.tell(null, () => told.push("at once again"));
  assert.equal(told.at(-1), "at once again");
});

test("what is told while something is told is part of it", async () => {
  const tellings = new Tellings();
  const told: string[] = [];
  tellings.tell(Promise.resolve(), () => tellings.tell(null, () => told.push("first")));
  tellings.tell(null, () => told.push("second"));
  await tellings.settled();
  assert.deepEqual(told, ["first", "second"]);
});

test("what waits for others is limited in number: more is told out of its order, and not held", async () => {
  const tellings = new Tellings();
  const late = Promise.withResolvers<void>();
  let told = 0;
  for (let count = 0; count < 5_000; count++) tellings.tell(count === 0 ? late.promise : null, () => told++);
  assert.equal(told, 5_000 - 4_096);
  late.resolve();
  await tellings.settled();
  assert.equal(told, 5_000);
});

test("so is what is held for them, and what is told gives its part back", async () => {
  const tellings = new Tellings();
  const [MiB, told] = [1024 * 1024, [] as number[]];
  for (let round = 0; round < 2; round++) {
    const late = Promise.withResolvers<void>();
    tellings.tell(late.promise, () => told.push(0));
    for (let count = 1; count <= 20; count++) tellings.tell(null, () => told.push(count), MiB);
    assert.deepEqual(told.splice(0), [17, 18, 19, 20]);
    late.resolve();
    await tellings.settled();
    assert.deepEqual(
      told.splice(0),
      Array.from({ length: 17 }, (_, count) => count),
    );
  }
});

test("one that fails is uncaught, and those after it are told", async (t) => {
  const tellings = new Tellings();
  const [told, thrown] = [[] as string[], [] as unknown[]];
  t.mock.method(globalThis, "queueMicrotask", (task: () => void) => {
    assert.throws(task, (error: unknown) => thrown.push(error) > 0);
  });
  const late = Promise.withResolvers<void>();
  tellings.tell(late.promise, () => {
    throw new Error("mine");
  });
  tellings.tell(null, () => told.push("after it"));
  tellings.tell(Promise.resolve(), () => told.push("with a hash"));
  tellings.tell(null, () => told.push("last"));
  late.resolve();
  await tellings.settled();
  tellings.tell(null, () => told.push("at once again"));
  assert.deepEqual(told, ["after it", "with a hash", "last", "at once again"]);
  assert.deepEqual(thrown.map(String), ["Error: mine"]);
});
