import { type Line, line, wrapText } from "../terminal/index.ts";

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ["a", "allow once; asks for yes where it is dangerous"],
  ["s", "allow more than once; a list, narrowest first"],
  ["x", "allow all that ask the same, once each"],
  ["i", "expired: allow if it asks again, 30 min"],
  ["e", "edit, see what that would do, allow once"],
  ["l", "allow once in another jail; a list"],
  ["d", "deny, with a reason for the agent"],
  ["v", "preview: try it where nothing is kept"],
  ["r", "reveal what is hidden; on record"],
  ["↑ ↓ k j", "select"],
  ["space b", "scroll a long command"],
  ["p", "pause all, or resume"],
  ["q Ctrl-C", "quit; what waits goes on waiting"],
  ["any key", "close this help"],
];

const RULES =
  "For 0.4 s after a card changes, a, s, e, x, i and d do nothing. Pasted text decides nothing. A long command can be allowed once its end was on the screen.";

/** Fits 40 columns and 12 rows. */
export function helpRows(columns: number): Line[] {
  return [
    ...KEYS.flatMap(([key, what]) =>
      wrapText(what, columns - 11).map((text, index) => line(` ${(index === 0 ? key : "").padEnd(9)} ${text}`)),
    ),
    ...wrapText(RULES, columns - 2).map((text) => line(` ${text}`, "dim")),
  ];
}
