/** As many as are ever drawn in a row, and more. */
const MOST = 200;
/** At the end, these stay whatever the width is. */
const END = 16;
/** No row is so narrow that this doesn't fit. */
const SHORT = 24;

/** A line in two: what gives way where there isn't room for all of it, and what stays. */
export interface Clipped {
  readonly head: string;
  readonly tail: string;
}

/**
 * The first line of a text, and how many more there are. Cut between words, so that whoever hears it hears it as it is; `before`: the
 * characters that a word may begin with.
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

/** One line of at most `most` characters, for lists: the middle is left out, since both ends of a command matter. */
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
