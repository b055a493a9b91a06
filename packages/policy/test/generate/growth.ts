import type { Random } from "./random.ts";

/** Where in a script a production stands. */
export interface Growth {
  readonly random: Random;
  /** Levels that may still be opened. */
  readonly depth: number;
  /** Here-documents that were announced: their text follows the next end of line. */
  readonly bodies: string[];
  /** A whole script, for a substitution. */
  readonly script: (growth: Growth) => string;
}

/** One level further in. */
export function deeper(growth: Growth): Growth {
  return { ...growth, depth: growth.depth - 1 };
}

/** A script that is read on its own: its here-documents end inside it. */
export function nested(growth: Growth): string {
  const inside: Growth = { ...growth, depth: growth.depth - 1, bodies: [] };
  return growth.script(inside) + (inside.bodies.length > 0 ? lineEnd(inside) : "");
}

/** Ends the line, and gives the here-documents that it announced. */
export function lineEnd(growth: Growth): string {
  return `\n${growth.bodies.splice(0).join("")}`;
}
