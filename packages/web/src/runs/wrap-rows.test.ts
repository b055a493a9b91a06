import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { columnsOf, partOf, wrapRows } from "./wrap-rows.ts";

test("wrapRows splits lines into rows in order, or not without columns", () => {
  const lengths = [0, 5, 10, 11, 3];
  const rows = wrapRows(lengths.length, (line) => lengths[line] as number, 5);
  assert.equal(rows.total, 1 + 1 + 2 + 3 + 1);
  const all = Array.from({ length: rows.total }, (_, row) => Object.values(rows.at(row)).join("."));
  assert.deepEqual(all, ["0.0", "1.0", "2.0", "2.1", "3.0", "3.1", "3.2", "4.0"]);
  assert.deepEqual([0, 1, 2, 3, 4].map(rows.rowOf), [0, 1, 2, 4, 7]);
  const plain = wrapRows(3, () => 99, undefined);
  assert.deepEqual([plain.total, plain.at(2), plain.rowOf(2)], [3, { line: 2, part: 0 }, 2]);
  assert.equal(wrapRows(0, () => 0, 5).total, 0);
});

test("partOf returns parts that join to the line", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "é", "💾"), minLength: 1, maxLength: 20 });
  const spans = fc.array(fc.record({ text, classes: fc.constantFrom("", "a") }), { maxLength: 6 });
  fc.assert(
    fc.property(spans, fc.integer({ min: 1, max: 9 }), (line, columns) => {
      const { total } = wrapRows(1, () => columnsOf(line), columns);
      const parts = Array.from({ length: total }, (_, part) => partOf(line, part, columns));
      const textOf = (some: readonly { text: string }[]) => some.map(({ text }) => text).join("");
      assert.equal(parts.map(textOf).join(""), textOf(line));
      for (const part of parts) assert.ok(columnsOf(part) <= columns);
    }),
  );
});
