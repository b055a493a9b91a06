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
