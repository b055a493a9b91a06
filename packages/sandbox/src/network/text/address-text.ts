/** Of 4 or 16 bytes, as RFC 5952 writes it; undefined of anything else. */
export function addressText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0));
  const { from, length } = longestZeros(groups);
  const text = (some: readonly number[]) => some.map((group) => group.toString(16)).join(":");
  if (length < 2) return text(groups);
  return `${text(groups.slice(0, from))}::${text(groups.slice(from + length))}`;
}

/** The first of the longest. */
function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let longest = { from: 0, length: 0 };
  for (let from = 0; from < groups.length; from += 1) {
    let length = 0;
    while (groups[from + length] === 0) length += 1;
    if (length > longest.length) longest = { from, length };
  }
  return longest;
}
