import { COMMAND_TREES, type CommandTree, EXACT, PLAIN_OPERANDS, RESTRAINTS } from "../catalog/index.ts";
import { TOOLS } from "../catalog/tools/index.ts";
import { basename, type Part } from "../model/index.ts";

/** The words that decide what the program does, if the catalogue has no entry for it. */
interface Shape {
  /** Option words without their values, sorted, without duplicates. */
  readonly options: readonly string[];
  /** Words that choose the action (`status`, `run build`), empty if there are none; undefined for plain operands. */
  readonly subcommand?: string;
}

const trees = new Map(COMMAND_TREES.flatMap((tree) => tree.names.map((name) => [name, tree] as const)));
const restraints = RESTRAINTS.map((form) => new RegExp(form));
const plain = new Set([
  ...PLAIN_OPERANDS,
  ...TOOLS.filter((tool) => tool.uses === undefined).flatMap((tool) => tool.names),
]);

/** Returns the shape of a simple command; undefined if a word isn't literal. */
export function readShape(words: readonly (string | null)[]): Shape | undefined {
  const literal: string[] = [];
  for (const word of words) {
    if (word === null) return undefined;
    literal.push(word);
  }
  const [head = "", ...rest] = literal;
  const options = [...new Set(rest.flatMap((word) => optionName(word) ?? []))].sort();
  const name = basename(head);
  const tree = trees.get(name);
  const subcommand = tree === undefined && plain.has(name) ? undefined : readSubcommand(rest, tree).join(" ");
  return { options, ...(subcommand === undefined ? {} : { subcommand }) };
}

/** Reports whether this program has subcommands. */
function hasSubcommands(name: string): boolean {
  return trees.has(name);
}

/** Reports whether seen options allow these: none is new, and no restricting option is missing. */
export function allowsOptions(seen: readonly string[], options: readonly string[]): boolean {
  return (
    options.every((option) => seen.includes(option)) && seen.every((one) => !restrains(one) || options.includes(one))
  );
}

function restrains(option: string): boolean {
  return restraints.some((form) => form.test(option));
}

/** Reports whether a word of the command is itself a program, so that only identical words count as the same. */
export function isExact(words: readonly (string | null)[]): boolean {
  const name = basename(words[0] ?? "");
  return EXACT.some(({ names, sub, form }) => {
    if (!names.includes(name)) return false;
    const rest = words.slice(1).map((word) => word ?? "");
    if (sub !== undefined) return readSubcommand(rest, { names, depth: 1 }).some((word) => sub.includes(word));
    return form === undefined || rest.some((word) => new RegExp(form).test(word));
  });
}

/**
 * Returns an option's name: `--opt=value` is `--opt`. A cluster is one name, because only the program knows which
 * letters take a value. `NAME=value`, `+x` and `@list` count too, because some programs take them as settings.
 */
function optionName(word: string): string | undefined {
  if (word.startsWith("@")) return "@";
  const assigned = /^(--?[\w.-]+|[A-Za-z_][\w.-]*)[:+?!]*=/.exec(word);
  if (assigned) return assigned[1]?.startsWith("-") ? assigned[1] : `${assigned[1]}=`;
  return /^[-+]./.test(word) ? word : undefined;
}

/**
 * Returns the subcommand's words. A word after an option may be its value or the subcommand, so both it and the next
 * are taken: the result may be too long, never too short.
 */
function readSubcommand(words: readonly string[], tree: CommandTree | undefined): string[] {
  const taken: string[] = [];
  if (tree?.leading && optionName(words[0] ?? "") !== undefined) return taken;
  let left = tree?.depth ?? 1;
  for (let index = 0; index < words.length && left > 0; index += 1) {
    const word = words[index] as string;
    if (optionName(word) !== undefined) continue;
    // For an unknown program a path is a file, and an effect names it as target.
    if (tree === undefined && /[/.]/.test(word)) break;
    taken.push(word);
    const value = /^-/.test(words[index - 1] ?? "");
    if (!value && !(left === 1 && tree?.deeper?.includes(word))) left -= 1;
  }
  return taken;
}

const MAX_SHAPES = 8;
const MAX_SHAPE_LENGTH = 120;

/**
 * Names the parts of a command as people do: `npm test`, `git push`. Nothing may be allowed by such a name, since equal
 * names may do different things. Omits safe parts if there are others.
 */
export function nameShapes(parts: readonly Part[]): string[] {
  const asked = parts.filter(({ effects }) => effects.some(({ risk }) => risk !== "safe"));
  const names = (asked.length > 0 ? asked : parts).flatMap((part) => nameShape(part) ?? []);
  return [...new Set(names)].slice(0, MAX_SHAPES);
}

function nameShape({ words, toolCall }: Part): string | undefined {
  const [head, tool] = words;
  if (!head) return undefined;
  const name = [toolCall ? head : basename(head), toolCall ? tool : subcommandOf(words)].filter(Boolean).join(" ");
  return name.length <= MAX_SHAPE_LENGTH ? name : undefined;
}

/** Returns the subcommand in at most two words (`run build`, `push`), without files and numbers. */
function subcommandOf(words: Part["words"]): string {
  if (!hasSubcommands(basename(words[0] ?? ""))) return "";
  const chosen = readShape(words)?.subcommand?.split(" ") ?? [];
  return chosen
    .slice(0, 2)
    .filter((word) => /^[A-Za-z][\w:-]*$/.test(word))
    .join(" ");
}
