/** More characters than a row ever shows. */
const MOST = 200;
/** Characters at the end that stay at any width. */
const END = 16;
/** Every row is wide enough for this many characters. */
const SHORT = 24;

/** A line in two parts: the head is truncated if there isn't room, the tail stays. */
export interface Clipped {
  readonly head: string;
  readonly tail: string;
}

/**
 * Splits the first line of a text for display, and appends the number of further lines. Splits between words, so that a screen reader reads
 * them whole. `before`: the characters that may begin the tail.
 */
export function clip(text: string, before = " "): Clipped {
  const [line = "", ...more] = text.trimEnd().split("\n");
  const rest = more.length === 0 ? "" : ` … +${more.length} ${more.length === 1 ? "line" : "lines"}`;
  const characters = [...elide(line, MOST)];
  const from = Math.max(0, characters.length - END);
  const word = characters.findIndex((character, n) => n >= from && before.includes(character));
  const at = word >= 0 ? word : characters.length > SHORT ? from : characters.length;
  return { head: characters.slice(0, at).join(""), tail: characters.slice(at).join("") + rest };
}

const MARK = " … ";

/** Shortens a text to one line of at most `most` characters. Leaves out the middle, since both ends of a command matter. */
export function elide(text: string, most: number): string {
  const lines = text.trimEnd().split("\n");
  const more = lines.length > 1 ? ` … +${lines.length - 1} ${lines.length === 2 ? "line" : "lines"}` : "";
  const first = [...(lines[0] ?? "")];
  const room = most - more.length;
  if (first.length <= room) return first.join("") + more;
  const kept = Math.max(2, room - MARK.length);
  const head = Math.ceil(kept / 2);
  return first.slice(0, head).join("") + MARK + first.slice(first.length - (kept - head)).join("") + more;
}
