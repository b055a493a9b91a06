import { visibleLines } from "@countersign/protocol/text";
import { structuredPatch } from "diff";
import { filterSecrets } from "./filter-secrets.ts";

const CONTEXT_LINES = 3;
/** Comparing costs their square: this many are tens of milliseconds, and past it the two have little in common. */
const MAX_EDITS = 500;
const MAX_LINES = 400;
const MAX_LINE = 1_000;
const MAX_CHARACTERS = 32_768;

/**
 * What changes from one text to the other, as a person is shown it: without secrets, without characters that a terminal
 * obeys, and short enough for a card (the command has all of the new text). Our own remarks begin with a backslash, as
 * no line of a file does here.
 */
export function fileDiff(before: string, after: string): string {
  const [from, to] = [filterSecrets(before), filterSecrets(after)];
  if (from === to) return before === after ? "\\ Nothing changes" : "\\ Only what is redacted changes";
  return bounded((from === "" ? added(to) : compared(from, to)).flatMap(harmless));
}

function compared(from: string, to: string): string[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", from, to, undefined, undefined, options);
  if (!patch) return ["\\ Too much changes to be compared: every old line goes, and these come", ...added(to)];
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ]);
}

/** An empty range is told by the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function added(text: string): string[] {
  const lines = text.split("\n").map((line) => `+${line}`);
  return text.endsWith("\n") ? lines.slice(0, -1) : [...lines, "\\ No newline at end of file"];
}

function harmless(line: string): string[] {
  // Cut first: a name takes ten times the character's room.
  const [shown = ""] = visibleLines(line.slice(0, MAX_LINE).toWellFormed());
  const left = line.length - MAX_LINE;
  return left <= 0 ? [shown] : [shown, `\\ ${left} more characters in this line`];
}

function bounded(lines: readonly string[]): string {
  let characters = 0;
  const end = lines.findIndex((line, index) => {
    characters += line.length + 1;
    return characters > MAX_CHARACTERS || index >= MAX_LINES;
  });
  return end < 0 ? lines.join("\n") : [...lines.slice(0, end), `\\ ${lines.length - end} more lines`].join("\n");
}
