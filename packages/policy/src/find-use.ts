import { compileOptions, type OptionTable, type ParsedOptions, parseOptions } from "./parse-options.ts";
import { literalWord, type WordReading } from "./read-word.ts";
import type { Tool, Usage } from "./tables/tool.ts";
import { TOOLS } from "./tables/tools.ts";

interface CompiledUsage {
  readonly usage: Usage;
  readonly table: OptionTable;
}

interface CompiledTool extends CompiledUsage {
  readonly tool: Tool;
  /** By subcommand, its words joined by a space. */
  readonly uses: ReadonlyMap<string, readonly CompiledUsage[]>;
  /** By each beginning of a subcommand: the options that may stand before its next word. */
  readonly leading: ReadonlyMap<string, OptionTable>;
}

/** One way to read the words: the program's own, or a subcommand's. */
export interface Reading {
  readonly usage: Usage;
  readonly parsed: ParsedOptions;
  /** What was parsed before the subcommand. */
  readonly before: readonly ParsedOptions[];
  /** The program with its subcommand, for sentences. */
  readonly label: string;
}

const byName = new Map<string, CompiledTool>(
  TOOLS.flatMap((tool) => {
    const compiled = compileTool(tool);
    return tool.names.map((name): [string, CompiledTool] => [name, compiled]);
  }),
);

/** The ways in which the tables may know these words, best first; none when the subcommand is unknown, undefined for no tool. */
export function findReadings(name: string, words: readonly WordReading[]): readonly Reading[] | undefined {
  const compiled = byName.get(name);
  if (compiled === undefined) return undefined;
  if (compiled.uses.size === 0) return [read(name, words, compiled)];
  const { path, before, rest, unread } = takeSubcommand(words, compiled);
  if (unread) return [];
  if (path === "") return compiled.tool.alone === false ? [] : [read(name, words, compiled)];
  return (compiled.uses.get(path) ?? []).map((use) => ({ ...read(`${name} ${path}`, rest, use), before }));
}

function read(label: string, all: readonly WordReading[], { usage, table }: CompiledUsage): Reading {
  const words = usage.bareCluster ? addDash(all) : all;
  const nothing = { options: [], values: [], paths: [], directories: [], programs: [], loose: [], read: words.length };
  const parsed = usage.noOptions ? { ...nothing, operands: words } : parseOptions(words, table, usage);
  return { usage, parsed, before: [], label };
}

/** `tar tzf x` is `tar -tzf x`. */
function addDash(words: readonly WordReading[]): readonly WordReading[] {
  const [first, ...rest] = words;
  if (first === undefined || !/^[A-Za-z]+$/.test(first.literal ?? "")) return words;
  return [literalWord(`-${first.literal}`, first.span), ...rest];
}

interface Subcommand {
  readonly path: string;
  readonly before: readonly ParsedOptions[];
  readonly rest: readonly WordReading[];
  /** A word before the subcommand isn't known, so nobody can tell which it is. */
  readonly unread: boolean;
}

/** Takes the longest subcommand that the tables know, with the options before and between its words. */
function takeSubcommand(words: readonly WordReading[], { tool, uses, leading }: CompiledTool): Subcommand {
  let path = "";
  let rest = words;
  let found: Subcommand = { path, before: [], rest, unread: true };
  const before: ParsedOptions[] = [];
  for (let table = leading.get(path); table !== undefined; table = leading.get(path)) {
    const parsed = parseOptions(rest, table, { ...tool, leading: true });
    if (parsed.unknown !== undefined || parsed.loose.length > 0) return found;
    before.push(parsed);
    const word = rest[parsed.read];
    if (word === undefined) return path === "" ? { path, before, rest: [], unread: false } : found;
    path = path === "" ? (word.literal ?? "") : `${path} ${word.literal}`;
    rest = rest.slice(parsed.read + 1);
    if (uses.has(path)) found = { path, before: [...before], rest, unread: false };
  }
  return found;
}

function compileTool(tool: Tool): CompiledTool {
  const uses = new Map<string, CompiledUsage[]>();
  const between = new Map<string, string[]>();
  for (const use of tool.uses ?? []) {
    const table = compileOptions(use.options, tool.optionsAnywhere ? tool.options : "");
    for (const command of use.commands) {
      uses.set(command, [...(uses.get(command) ?? []), { usage: use, table }]);
      const parts = command.split(" ");
      for (let count = 0; count < parts.length; count += 1) {
        const beginning = parts.slice(0, count).join(" ");
        const own = count > 0 && use.between !== undefined ? [use.between] : [];
        between.set(beginning, [...(between.get(beginning) ?? []), ...own]);
      }
    }
  }
  const leading = new Map([...between].map(([path, lists]) => [path, compileOptions(tool.options, ...lists)] as const));
  return { tool, usage: tool, table: compileOptions(tool.options), uses, leading };
}
