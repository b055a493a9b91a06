import assert from "node:assert/strict";
import { test } from "node:test";
import { remember } from "./remember.ts";

test("each key is asked for once, also when the answer is undefined", () => {
  const asked: string[] = [];
  const look = remember((key) => {
    asked.push(key);
    return key === "missing" ? undefined : key.length;
  });
  for (const key of ["a", "missing", "a", "missing", "__proto__"]) look(key);
  assert.deepEqual([look("a"), look("missing"), look("__proto__")], [1, undefined, 9]);
  assert.deepEqual(asked, ["a", "missing", "__proto__"]);
});
