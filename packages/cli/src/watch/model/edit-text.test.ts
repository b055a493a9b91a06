import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_COMMAND_BYTES } from "@countersign/protocol/proposals";
import { wrapCommand } from "../../terminal/wrap-command.ts";
import { cursorOf, type Draft, editText } from "./edit-text.ts";
import type { Key } from "./keys.ts";

const ROOM = 10;

function press(draft: Draft, ...keys: (Key | Exclude<Key["kind"], "char" | "paste">)[]): Draft {
  return keys.reduce((now, key) => {
    const next = editText(now, typeof key === "string" ? { kind: key } : key, ROOM);
    assert.ok(next);
    return next;
  }, draft);
}

const char = (text: string): Key => ({ kind: "char", char: text });
const paste = (text: string): Key => ({ kind: "paste", text });

test("characters go where the cursor is, also around pairs of surrogates", () => {
  const draft = { text: "ls 😀", at: 5 };
  assert.deepEqual(press(draft, "left", char("x")), { text: "ls x😀", at: 4 });
  assert.deepEqual(press(draft, "backspace"), { text: "ls ", at: 3 });
  assert.deepEqual(press(draft, "left", "delete"), { text: "ls ", at: 3 });
  assert.deepEqual(press(draft, "home", "delete", "delete"), { text: " 😀", at: 0 });
  assert.deepEqual(press(draft, "home", "backspace", "left"), { text: "ls 😀", at: 0 });
  assert.deepEqual(press(draft, "right", "delete", "end"), draft);
  assert.deepEqual(press(draft, "clear-line", char("a")), { text: "a", at: 1 });
});

test("a paste keeps its lines and tabs, and nothing else that a terminal would obey", () => {
  assert.deepEqual(press({ text: "", at: 0 }, paste("a\r\nb\tc\x1b[2Jd\re")), { text: "a\nb\tc[2Jd\ne", at: 11 });
});

test("no more goes in than a hub takes", () => {
  const full = { text: "x".repeat(MAX_COMMAND_BYTES - 1), at: 0 };
  assert.equal(press(full, paste("yy")).text, full.text);
  assert.equal(press(full, char("y")).text.length, MAX_COMMAND_BYTES);
});

test("home, end, up and down keep to lines and rows", () => {
  const text = "one\ntwo three four five\nx";
  const rows = wrapCommand(text, ROOM);
  assert.deepEqual(
    rows.map(({ mark }) => mark),
    ["$", ">", "+", ">"],
  );
  const placeOf = (draft: Draft) => cursorOf(draft, rows);
  assert.deepEqual(press({ text, at: 9 }, "home"), { text, at: 4 });
  assert.deepEqual(press({ text, at: 9 }, "end"), { text, at: 23 });
  assert.deepEqual(placeOf({ text, at: 23 }), { row: 2, column: 9 });
  const up = press({ text, at: 23 }, "up");
  assert.deepEqual(placeOf(up), { row: 1, column: 9 });
  assert.deepEqual(placeOf(press(up, "up")), { row: 0, column: 3 });
  assert.deepEqual(press({ text, at: 2 }, "up"), { text, at: 2 });
  assert.deepEqual(press({ text, at: 23 }, "down"), { text, at: text.length });
  // A longer row above one that goes on: the cursor stays in that row.
  const long = "0123456789\n01 3456789 abc";
  assert.equal(cursorOf(press({ text: long, at: 10 }, "down"), wrapCommand(long, ROOM)).row, 1);
});
