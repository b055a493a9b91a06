import { type Language, TOOLS, type Tool } from "../catalog/tools/index.ts";
import { literalWord, type WordReading } from "../model/index.ts";
import { type ParsedOptions, parseOptions } from "../shell/index.ts";
import {
  type CommandTree,
  type CompiledUsage,
  compileCommands,
  compileUsage,
  findSubcommand,
} from "./find-subcommand.ts";

interface CompiledTool extends CompiledUsage {
  readonly tool: Tool;
  readonly tree?: CommandTree;
}

/** One way to read the words: the program's own, or a subcommand's. */
export interface Reading extends Pick<CompiledUsage, "usage" | "operandForm" | "refuses" | "avoids"> {
  /** All after the program's name. */
  readonly words: readonly WordReading[];
  readonly parsed: ParsedOptions;
  /** What was parsed before the subcommand. */
  readonly before: readonly ParsedOptions[];
  /** The program with its subcommand, for sentences. */
  readonly label: string;
}

const byName = new Map<string, CompiledTool>(
  TOOLS.flatMap((tool) => {
    const tree = tool.uses === undefined ? {} : { tree: compileCommands(tool) };
    const compiled = { ...compileUsage(tool, tool.options), ...tree, tool };
    return tool.names.map((name): [string, CompiledTool] => [name, compiled]);
  }),
);

/** The language of the program text that a tool takes as a word. */
export function findLanguage(name: string): Language | undefined {
  return byName.get(name)?.tool.language;
}

/** The words of the subcommand that the tables know, if there is one. */
export function findKnownSubcommand(name: string, words: readonly WordReading[]): readonly string[] | undefined {
  const tree = byName.get(name)?.tree;
  const path = tree && findSubcommand(words, tree)?.path;
  return path ? path.split(" ") : undefined;
}

/** Whether the use that these words name has the option, spelled so, in its table. */
export function knowsOption(name: string, words: readonly WordReading[], option: string): boolean {
  const compiled = byName.get(name);
  if (compiled === undefined) return false;
  const found = compiled.tree && findSubcommand(words, compiled.tree);
  const uses = found === undefined || found.path === "" ? [compiled] : found.uses;
  return uses.some(({ table }) => table.kinds.has(option));
}

/** The ways in which the tables may know these words, best first; none when the subcommand is unknown, undefined for no tool. */
export function findReadings(name: string, words: readonly WordReading[]): readonly Reading[] | undefined {
  const compiled = byName.get(name);
  if (compiled === undefined) return undefined;
  if (compiled.tree === undefined) return [read(name, words, compiled)];
  const found = findSubcommand(words, compiled.tree);
  // A first word that is no subcommand may be program text (`yq eval .a`, `yq .a`).
  if (found === undefined) return compiled.usage.operands === "program" ? [read(name, words, compiled)] : [];
  if (found.path === "") return compiled.tool.alone === false ? [] : [read(name, words, compiled)];
  const { path, before, rest, uses } = found;
  return uses.map((use) => ({ ...read(`${name} ${path}`, rest, use), words, before }));
}

function read(label: string, all: readonly WordReading[], compiled: CompiledUsage): Reading {
  const { usage, table, operandForm, refuses, avoids } = compiled;
  const words = usage.bareCluster ? addDash(all) : all;
  const nothing = { options: [], values: [], paths: [], directories: [], programs: [], loose: [], read: words.length };
  const parsed = usage.noOptions ? { ...nothing, operands: words } : parseOptions(words, table, usage);
  return { usage, operandForm, refuses, avoids, words, parsed, before: [], label };
}

/** `tar tzf x` is `tar -tzf x`. */
function addDash(words: readonly WordReading[]): readonly WordReading[] {
  const [first, ...rest] = words;
  if (first === undefined || !/^[A-Za-z]+$/.test(first.literal ?? "")) return words;
  return [literalWord(`-${first.literal}`, first.span), ...rest];
}
