import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_LINES, OutputLog } from "./output-log.ts";

const linesOf = (log: OutputLog) => {
  return Array.from({ length: log.count }, (_, index) => {
    const line = log.line(index);
    return line?.kind === "text" ? `${line.stream}: ${line.spans.map(({ text }) => text).join("")}` : line;
  });
};

test("OutputLog gives each line to one stream, in order of arrival", () => {
  const log = new OutputLog();
  log.push({ stream: "stdout", text: "one\ntw" });
  assert.deepEqual(linesOf(log), ["stdout: one", "stdout: tw"]);
  log.push({ stream: "stderr", text: "uno\n" });
  log.push({ stream: "stdout", text: "o\r" });
  log.push({ stream: "stderr", text: "due" });
  log.push({ stream: "stderr", text: "\rD" });
  assert.deepEqual(linesOf(log), ["stdout: one", "stdout: tw", "stderr: uno", "stdout: o", "stderr: Due"]);
  assert.equal(log.text(), "one\ntw\nuno\no\nDue\n");
});

test("OutputLog keeps style and partial sequences per stream", () => {
  const log = new OutputLog();
  log.push({ stream: "stdout", text: "\x1b[31mred\n\x1b[3" });
  log.push({ stream: "stderr", text: "plain\n" });
  log.push({ stream: "stdout", text: "9mnot\n" });
  const classes = [0, 1, 2].map((index) => {
    const line = log.line(index);
    return line?.kind === "text" ? line.spans[0]?.classes : undefined;
  });
  assert.deepEqual(classes, ["ansi-fg-1", "", ""]);
});

test("OutputLog marks a gap where it is, and continues no line across it", () => {
  const log = new OutputLog();
  log.push({ stream: "stdout", text: "before\x1b[31" });
  log.push({ stream: "stdout", text: "mafter\n", omitted: 7 });
  assert.deepEqual(linesOf(log), ["stdout: before", { kind: "gap", stream: "stdout", bytes: 7 }, "stdout: mafter"]);
});

test("OutputLog keeps the newest lines and counts the others", () => {
  const log = new OutputLog();
  for (let piece = 0; piece < 100; piece += 1) {
    const text = Array.from({ length: 1_000 }, (_, index) => `line ${piece * 1_000 + index}\n`).join("");
    log.push({ stream: "stdout", text });
  }
  assert.deepEqual([log.count, log.dropped], [MAX_LINES, 100_000 - MAX_LINES]);
  assert.equal(linesOf(log)[0], `stdout: line ${100_000 - MAX_LINES}`);
  assert.equal(linesOf(log).at(-1), "stdout: line 99999");
  assert.equal(log.line(MAX_LINES), undefined);
});
