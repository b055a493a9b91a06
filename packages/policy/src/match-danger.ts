import { CODE_DOINGS } from "./tables/code-doings.ts";
import { DANGERS, type DangerPattern } from "./tables/danger.ts";
import { ESCAPES } from "./tables/danger-escapes.ts";
import { SERVICE_DANGERS } from "./tables/danger-services.ts";
import { REACHES } from "./tables/reaches.ts";

export const DANGER_PATTERNS: readonly DangerPattern[] = [
  ...DANGERS,
  ...SERVICE_DANGERS,
  ...ESCAPES,
  ...REACHES,
  ...CODE_DOINGS,
];

const forms = new Map(
  DANGER_PATTERNS.flatMap(({ form }) => (form === undefined ? [] : [[form, new RegExp(form)] as const])),
);
const byProgram = new Map<string, DangerPattern[]>();
for (const pattern of DANGER_PATTERNS) {
  for (const program of pattern.programs) byProgram.set(program, [...(byProgram.get(program) ?? []), pattern]);
}

/** The patterns that the words of one command match. `words` are those after the command word; null isn't literal. */
export function matchDangers(program: string, words: readonly (string | null)[]): DangerPattern[] {
  return (byProgram.get(program) ?? []).filter((pattern) => matches(pattern, words));
}

/** Matches the program whatever its words are. */
export function goesByName({ sub, flags, long, words, prefixes, contains, form }: DangerPattern): boolean {
  return !sub && !flags && !long && !words && !prefixes && !contains && !form;
}

function matches(pattern: DangerPattern, words: readonly (string | null)[]): boolean {
  if (pattern.sub !== undefined && !pattern.sub.some((names) => hasSubcommand(names, words))) return false;
  const { flags, long, words: exact, prefixes, contains } = pattern;
  const form = forms.get(pattern.form ?? "");
  if (!flags && !long && !exact && !prefixes && !contains && !form) return true;
  if (form && words.some((word) => word !== null && form.test(word))) return true;
  if (pattern.bareFlags && words[0] && hasFlag(`-${words[0].replace(/^-/, "")}`, flags ?? "")) return true;
  if (exact && words.some((word) => word !== null && exact.includes(word))) return true;
  if (prefixes && words.some((word) => word !== null && prefixes.some((prefix) => word.startsWith(prefix))))
    return true;
  if (contains && words.some((word) => word !== null && contains.some((text) => word.toLowerCase().includes(text))))
    return true;
  const end = pattern.beforeSubcommand
    ? words.findIndex((_, index) => isSubcommand(words, index))
    : words.indexOf("--");
  const options = end === -1 ? words : words.slice(0, end);
  return options.some((word) => word !== null && (hasFlag(word, flags ?? "") || hasLong(word, long ?? [])));
}

/** In any cluster: a letter that is another option's value may match too, which errs to the careful side. */
function hasFlag(word: string, flags: string): boolean {
  if (!/^-[^-]/.test(word)) return false;
  return [...word.slice(1)].some((letter) => flags.includes(letter));
}

function hasLong(word: string, names: readonly string[]): boolean {
  const name = /^--([a-z][\w-]*)/.exec(word)?.[1];
  if (name === undefined) return false;
  return names.some((long) => long.startsWith(name));
}

/** Global options and the values they may take can stand before the subcommand: `kubectl -n web delete`. */
function hasSubcommand(names: readonly string[], words: readonly (string | null)[]): boolean {
  for (let index = 0; index < words.length; index += 1) {
    if (names.every((name, offset) => words[index + offset] === name)) return true;
    if (isSubcommand(words, index)) return false;
  }
  return false;
}

/** Neither an option nor, perhaps, the value of one. */
function isSubcommand(words: readonly (string | null)[], index: number): boolean {
  return !words[index]?.startsWith("-") && !words[index - 1]?.startsWith("-");
}
