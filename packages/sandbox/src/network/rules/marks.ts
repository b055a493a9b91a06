/**
 * A flow's mark in conntrack, as our rules write it; the lower 16 bits are left to others:
 *
 *     number of the observation (15 bits) · let through (1 bit) · not ours (16 bits)
 *
 * A sandbox is observed under another number each time that somebody begins to look at it: what was counted before is then final.
 */
const NUMBER_SHIFT = 17;
export const MOST_NUMBERS = (1 << 15) - 1;
export const NUMBER_MASK = 0xfffe0000;
export const PASSED = 0x00010000;
export const ALL_OURS = 0xffff0000;

export function markOf(number: number): number {
  return (number << NUMBER_SHIFT) >>> 0;
}

/** 0: it isn't ours. */
export function numberOf(mark: number): number {
  return mark >>> NUMBER_SHIFT;
}

export function hex(mark: number): string {
  return `0x${mark.toString(16).padStart(8, "0")}`;
}
