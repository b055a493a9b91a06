import type { Random } from "./random.ts";

const NOISE = [
  "'",
  '"',
  "`",
  "$(",
  ")",
  "(",
  "{",
  "}",
  "\\",
  "\n",
  ";",
  ";;",
  "&",
  "|",
  "<",
  ">",
  "<<",
  "#",
  "$",
  "fi",
  "done",
  " ",
  "\t",
  "!",
  "=",
  "\r",
  "\u00a0",
  "\\\n",
  "\\\n",
];

/** The text with one or two places damaged: most results aren't valid, and those that are have odd shapes. */
export function corrupt(random: Random, text: string): string {
  let damaged = text;
  for (let count = 1 + random.below(2); count > 0; count -= 1) {
    const at = random.below(damaged.length + 1);
    const cut = random.pick([0, 0, 1, 1, 2]);
    damaged = damaged.slice(0, at) + (random.chance(0.6) ? random.pick(NOISE) : "") + damaged.slice(at + cut);
  }
  return damaged;
}
