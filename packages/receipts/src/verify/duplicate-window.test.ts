import assert from "node:assert/strict";
import { test } from "node:test";
import { DuplicateWindow } from "./duplicate-window.ts";

test("remembers what is recent, forgets the rest, and never holds more than it may", () => {
  const places = new DuplicateWindow(10);
  for (let index = 0; index < 1_000; index += 1) {
    places.set(`s${index}`, index);
    assert.ok(places.entries().length <= 10);
    for (let back = 0; back < 5 && back <= index; back += 1) assert.ok(places.has(`s${index - back}`));
  }
  assert.ok(!places.has("s900"));
});

test("a subject is there once, at its last place, until it is taken out", () => {
  const places = new DuplicateWindow(4);
  for (const [subject, index] of [
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["a", 3],
  ] as const)
    places.set(subject, index);
  assert.deepEqual(places.entries(), [
    ["b", 1],
    ["c", 2],
    ["a", 3],
  ]);
  for (const subject of ["a", "b", "c"]) places.delete(subject);
  assert.deepEqual(places.entries(), []);
});
