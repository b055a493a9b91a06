import assert from "node:assert/strict";
import { test } from "node:test";
import { SortedIds } from "./sorted-ids.ts";

test("pages through ids in order, also from one that is gone", () => {
  const ids = new SortedIds();
  for (const id of ["b", "d", "c", "a", "c"]) ids.add(id);
  assert.deepEqual(ids.next("", 3), ["a", "b", "c"]);
  ids.remove("b");
  ids.remove("x");
  assert.deepEqual([ids.next("b", 9), ids.next("d", 9)], [["c", "d"], []]);
});
