import { COMMAND_TREES, type CommandTree, EXACT, PLAIN_OPERANDS, RESTRAINTS } from "../catalog/index.ts";
import { TOOLS } from "../catalog/tools/index.ts";
import { basename, type Part } from "../model/index.ts";

/** What of a command's words decides what its program does, as far as that can be told without a table. */
interface Shape {
  /** Option words without their values, each once, sorted. */
  readonly options: readonly string[];
  /** The words that choose what is done (`status`, `run build`), empty when there is none; undefined for plain operands. */
  readonly subcommand?: string;
}

const trees = new Map(COMMAND_TREES.flatMap((tree) => tree.names.map((name) => [name, tree] as const)));
const restraints = RESTRAINTS.map((form) => new RegExp(form));
const plain = new Set([
  ...PLAIN_OPERANDS,
  ...TOOLS.filter((tool) => tool.uses === undefined).flatMap((tool) => tool.names),
]);

/** The shape of a simple command, or undefined when one of its words isn't literal. */
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

/** Whether this program is known to do one thing or another by its first words. */
function hasSubcommands(name: string): boolean {
  return trees.has(name);
}

/** Whether options that were seen allow these: none is new, and none that holds back is left out. */
export function allowsOptions(seen: readonly string[], options: readonly string[]): boolean {
  return (
    options.every((option) => seen.includes(option)) && seen.every((one) => !restrains(one) || options.includes(one))
  );
}

function restrains(option: string): boolean {
  return restraints.some((form) => form.test(option));
}

/** Whether a word of the command is itself a program, so that only the very same words may pass for the same. */
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
 * `--opt=value` is `--opt`; a cluster is one name, since only the program knows which of its letters take a value. `NAME=value`,
 * `+x` and `@list` count too: to some programs they are settings.
 */
function optionName(word: string): string | undefined {
  if (word.startsWith("@")) return "@";
  const assigned = /^(--?[\w.-]+|[A-Za-z_][\w.-]*)[:+?!]*=/.exec(word);
  if (assigned) return assigned[1]?.startsWith("-") ? assigned[1] : `${assigned[1]}=`;
  return /^[-+]./.test(word) ? word : undefined;
}

/**
 * A word behind an option may be its value or the subcommand: it is taken along, and so is the next. That makes the text
 * longer than need be, never shorter.
 */
function readSubcommand(words: readonly string[], tree: CommandTree | undefined): string[] {
  const taken: string[] = [];
  if (tree?.leading && optionName(words[0] ?? "") !== undefined) return taken;
  let left = tree?.depth ?? 1;
  for (let index = 0; index < words.length && left > 0; index += 1) {
    const word = words[index] as string;
    if (optionName(word) !== undefined) continue;
    // To a program that isn't known a path is a file; what it may do to that file is an effect with a target.
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
 * The parts of a command as people speak of them: `npm test`, `git push`. Two commands of the same shape need not do the same; nothing may be
 * allowed by it. Parts that do nothing beside safe things are left out where there are others.
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

/** `run build`, `push`: at most two words, and none that may be a file, a number or something else that it is about. */
function subcommandOf(words: Part["words"]): string {
  if (!hasSubcommands(basename(words[0] ?? ""))) return "";
  const chosen = readShape(words)?.subcommand?.split(" ") ?? [];
  return chosen
    .slice(0, 2)
    .filter((word) => /^[A-Za-z][\w:-]*$/.test(word))
    .join(" ");
}
