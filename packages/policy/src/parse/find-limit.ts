import { MAX_OPENINGS } from "../model/index.ts";

/** Where the text passes the number of openings that the parser is quick with. */
export function findLimit(source: string): number {
  if (source.length <= MAX_OPENINGS) return source.length;
  let count = 0;
  for (const { index } of source.matchAll(/\{|\(\(|[$<>]\(/g)) {
    count += 1;
    if (count > MAX_OPENINGS) return index;
  }
  return source.length;
}
