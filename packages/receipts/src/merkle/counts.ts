/** Counted instead of asked of Math.log2, which calls 2^49 + 1 a power of two. null: `count` is none. */
export function levelOf(count: number): number | null {
  let level = 0;
  let power = 1;
  for (; power < count; power *= 2) level += 1;
  return power === count ? level : null;
}

export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
