import assert from "node:assert/strict";
import { test } from "node:test";
import { BURST_MS, type Key, KeyReader } from "./keys.ts";

/** Chunks with the time that passed before each; at the end everything that was held. */
function read(...chunks: [afterMs: number, text: string | Uint8Array][]): Key[] {
  const reader = new KeyReader();
  let nowMs = 1_000;
  const keys = chunks.flatMap(([afterMs, text]) => {
    nowMs += afterMs;
    return reader.push(typeof text === "string" ? Buffer.from(text) : text, nowMs);
  });
  return [...keys, ...reader.flush(nowMs + 10_000)];
}

const char = (one: string): Key => ({ kind: "char", char: one });

test("keys, one by one", () => {
  assert.deepEqual(read([0, "a"], [50, "é"], [50, "\r"], [50, "\x7f"], [50, "\x15"], [50, "\x1b"]), [
    char("a"),
    char("é"),
    { kind: "enter" },
    { kind: "backspace" },
    { kind: "clear-line" },
    { kind: "escape" },
  ]);
  assert.deepEqual(read([0, "\x1b[A"], [1, "\x1bOB"], [1, "\x1b[5~\x1b[6~"]), [
    { kind: "up" },
    { kind: "down" },
    { kind: "page-up" },
    { kind: "page-down" },
  ]);
});

test("a character in two pieces, and an arrow over a slow line", () => {
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  assert.deepEqual(read([0, first], [50, second]), [char("é")]);
  assert.deepEqual(read([0, "\x1b"], [30, "[A"]), [{ kind: "up" }]);
});

test("what comes at once, or on the heels of something, is a paste and no key", () => {
  assert.deepEqual(read([0, "aa"]), [{ kind: "paste", text: "aa" }]);
  assert.deepEqual(read([0, "a"], [BURST_MS - 1, "b"], [BURST_MS - 1, "c"]), [{ kind: "paste", text: "abc" }]);
  assert.deepEqual(read([0, "a\x1b[B"]), [{ kind: "down" }, { kind: "paste", text: "a" }]);
  assert.deepEqual(read([0, "\x1b[Ba"]), [{ kind: "down" }, { kind: "paste", text: "a" }]);
  assert.deepEqual(read([0, "yes\r"]), [{ kind: "paste", text: "yes\r" }]);
  assert.deepEqual(read([0, "\x7f\x7f"]), [{ kind: "backspace" }, { kind: "backspace" }]);
});

test("a bracketed paste, also in pieces, is one; its end can't be pasted away for ever", () => {
  assert.deepEqual(read([0, "\x1b[200~a\x1b[201~"]), [{ kind: "paste", text: "a" }]);
  assert.deepEqual(read([0, "\x1b[20"], [5, "0~a\x03\x1b[20"], [50, "1~"], [50, "d"]), [
    { kind: "paste", text: "a\x03" },
    char("d"),
  ]);
  assert.deepEqual(read([0, "\x1b[200~lost"], [2_000, "q"]), [{ kind: "paste", text: "lost" }, char("q")]);
});

test("keys that move in a text, as terminals send them", () => {
  const sent = ["\x1b[D", "\x1bOC", "\x1b[H", "\x1b[F", "\x1b[1~", "\x1b[4~", "\x1b[3~", "\x01", "\x05"];
  const kinds = ["left", "right", "home", "end", "home", "end", "delete", "home", "end"];
  for (const [index, keys] of sent.entries()) assert.deepEqual(read([0, keys]), [{ kind: kinds[index] }]);
});

test("Ctrl-C is heard at once; Alt with a key, unknown sequences and other controls are nothing", () => {
  const reader = new KeyReader();
  assert.deepEqual(reader.push(Buffer.from("\x03"), 0), [{ kind: "interrupt" }]);
  assert.deepEqual(read([0, "\x1ba"], [50, "\x1b[15~"], [50, "\x1b[<0;1;1M"], [50, "\x02"], [50, "\x1b["]), []);
});
