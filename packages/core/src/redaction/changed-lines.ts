/** A text in three: the lines that two texts begin with, what differs, and the lines that they end with. */
export interface ChangedLines {
  readonly head: string;
  readonly lines: string;
  readonly tail: string;
}

/** Cuts `after` at whole lines, so that head and tail are also those of `before`. */
export function changedLines(before: string, after: string): ChangedLines {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same += 1;
  const headEnd = same === 0 ? 0 : after.lastIndexOf("\n", same - 1) + 1;
  let common = 0;
  while (common < shorter - headEnd && before.at(-1 - common) === after.at(-1 - common)) common += 1;
  const lineEnd = after.indexOf("\n", Math.max(after.length - common - 1, 0));
  const tailStart = lineEnd < 0 ? after.length : lineEnd + 1;
  return { head: after.slice(0, headEnd), lines: after.slice(headEnd, tailStart), tail: after.slice(tailStart) };
}
