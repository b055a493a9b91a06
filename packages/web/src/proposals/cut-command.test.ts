import assert from "node:assert/strict";
import { test } from "node:test";
import { cutCommand, worstRisk } from "./cut-command.ts";

function effect(pos: number, end: number, risk: "safe" | "needs-review" | "dangerous" = "needs-review") {
  const span = { pos, end };
  return { kind: "executes", risk, span, layer: "shell-syntax", ruleId: "r", sentence: `${pos}-${end}` } as const;
}

function cut(command: string, ...effects: ReturnType<typeof effect>[]) {
  return cutCommand({ command, effects }).map(({ text, effects: here }) => [text, here.map((one) => one.sentence)]);
}

test("cutCommand splits where effects begin and end, and loses nothing", () => {
  assert.deepEqual(cut("curl x | sh", effect(0, 6), effect(9, 11, "dangerous")), [
    ["curl x", ["0-6"]],
    [" | ", []],
    ["sh", ["9-11"]],
  ]);
  assert.deepEqual(cut("abcd", effect(0, 4), effect(1, 2)), [
    ["a", ["0-4"]],
    ["b", ["0-4", "1-2"]],
    ["cd", ["0-4"]],
  ]);
});

test("cutCommand ignores effects that are safe, empty or out of range", () => {
  assert.deepEqual(cut("ls", effect(0, 2, "safe"), effect(1, 1), effect(-5, 99)), [["ls", ["-5-99"]]]);
  assert.deepEqual(cut(""), []);
});

test("cutCommand splits no surrogate pair", () => {
  assert.deepEqual(
    cut("a😀b", effect(0, 2)).map(([text]) => text),
    ["a😀b"],
  );
});

test("worstRisk returns the highest risk", () => {
  assert.equal(worstRisk([{ risk: "safe" }, { risk: "dangerous" }, { risk: "needs-review" }]), "dangerous");
  assert.equal(worstRisk([]), "safe");
});
