/** Text between wildcards: `a*b` is ["a", "b"]. */
export type Glob = readonly string[];

/** Linear in the text for each piece: pieces are found left to right and never tried again. */
export function matchGlob(glob: Glob, text: string): boolean {
  const first = glob[0] ?? "";
  if (glob.length === 1) return text === first;
  const last = glob[glob.length - 1] ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  const until = text.length - last.length;
  for (const piece of glob.slice(1, -1)) {
    const at = text.indexOf(piece, from);
    if (at === -1 || at + piece.length > until) return false;
    from = at + piece.length;
  }
  return true;
}
