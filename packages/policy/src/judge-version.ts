import type { WordReading } from "./read-word.ts";
import { TELLERS } from "./tables/versions.ts";

const words = new Map<string, Set<string>>();
for (const teller of TELLERS) {
  for (const name of teller.names.split(/\s+/)) {
    const known = words.get(name) ?? new Set();
    for (const word of teller.words) known.add(word);
    words.set(name, known);
  }
}

/** `node --version` and its like: exactly one word, and nothing is done besides printing. */
export function tellsVersion(name: string, operands: readonly WordReading[]): boolean {
  const only = operands.length === 1 ? operands[0]?.literal : null;
  return typeof only === "string" && (words.get(name)?.has(only) ?? false);
}
