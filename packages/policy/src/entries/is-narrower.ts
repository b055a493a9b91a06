import { compilePattern, firstLiteral, subsumes } from "../patterns/index.ts";
import { type Entry, isEntryWithin } from "../profile/index.ts";

/**
 * Whether `entry` allows nothing that `old` doesn't, when it was made apart: it must be kept as old as `old` is, since a newer one outranks what
 * was denied before. What can't be told counts as wider.
 */
export function isNarrower(entry: Entry, old: Entry): boolean {
  const { atMs: _, ...undated } = entry;
  const [wide, narrow] = [compilePattern(old.pattern), compilePattern(entry.pattern)];
  const program = firstLiteral(wide);
  // Patterns fit a program by its name wherever it lies: another place is another program.
  if (program !== undefined && firstLiteral(narrow) !== program) return false;
  return subsumes(wide, narrow) && isEntryWithin({ ...undated, pattern: old.pattern }, [old]);
}
