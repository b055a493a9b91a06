export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/**
 * As execd reads it, which isn't quite the standard: only `bytes=` in lower case; of several ranges those that begin past the end are passed over; none left is an
 * empty list; what can't be read is undefined.
 */
export function parseRange(header: string, size: number): ByteRange[] | undefined {
  if (!header.startsWith("bytes=")) return undefined;
  const ranges: ByteRange[] = [];
  for (const part of header
    .slice("bytes=".length)
    .split(",")
    .map((one) => one.trim())) {
    if (part === "") continue;
    const range = parseOne(part, size);
    if (!range) return undefined;
    if (range.start < size) ranges.push({ start: range.start, length: Math.min(range.length, size - range.start) });
  }
  return ranges;
}

function parseOne(part: string, size: number): ByteRange | undefined {
  const dash = part.indexOf("-");
  if (dash === -1) return undefined;
  const first = part.slice(0, dash).trim();
  const last = part.slice(dash + 1).trim();
  if (first === "") {
    const suffix = toNumber(last);
    if (suffix === undefined) return undefined;
    const length = Math.min(suffix, size);
    return { start: size - length, length };
  }
  const start = toNumber(first);
  if (start === undefined) return undefined;
  if (last === "") return { start, length: size - start };
  const end = toNumber(last);
  return end === undefined || end < start ? undefined : { start, length: end - start + 1 };
}

function toNumber(text: string): number | undefined {
  return /^\+?\d{1,15}$/.test(text) ? Number(text) : undefined;
}
