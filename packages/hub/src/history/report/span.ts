/** Half-open: from `fromMs` on, up to but not including `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function isWithin({ fromMs, toMs }: Span, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs;
}
