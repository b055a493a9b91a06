/** A phone's width, as the style sheets have it. */
export function isNarrow(): boolean {
  return matchMedia("(max-width: 47.99rem)").matches;
}
