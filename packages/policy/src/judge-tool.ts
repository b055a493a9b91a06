import type { Effect, Span } from "./effect.ts";
import { judgeRead, relyOnJail } from "./judge-path.ts";
import { makeEffect } from "./make-effect.ts";
import { compileOptions, type OptionTable, type ParsedOptions, parseOptions } from "./parse-options.ts";
import type { PathSite } from "./path-effect.ts";
import { literalWord, WILD, type WordReading } from "./read-word.ts";
import type { Tool } from "./tables/tool.ts";
import { TOOLS } from "./tables/tools.ts";

/** The rule of a tool that is used otherwise than its table knows: what it then does is as open as with any program. */
export const NOT_IN_TABLE = "tool.not-in-table";

const byName = new Map<string, { readonly tool: Tool; readonly table: OptionTable }>(
  TOOLS.flatMap((tool) => {
    const compiled = { tool, table: compileOptions(tool.options) };
    return tool.names.map((name): [string, typeof compiled] => [name, compiled]);
  }),
);

export function isTool(name: string): boolean {
  return byName.has(name);
}

/** The effects of a tool of the tables, or undefined when `name` is none. `words` are those after the command word. */
export function judgeTool(name: string, words: readonly WordReading[], site: PathSite): Effect[] | undefined {
  const compiled = byName.get(name);
  if (compiled === undefined) return undefined;
  const { tool, table } = compiled;
  const parsed = tool.noOptions
    ? { options: [], operands: words, values: [], paths: [], loose: [] }
    : parseOptions(words, table, tool);
  const problem = findResponseFile(name, words, tool) ?? findProblem(name, parsed, tool);
  if (problem !== undefined) return [notInTable(problem, site.span)];
  return judgeOperands(name, parsed, { tool, site });
}

function findProblem(name: string, parsed: ParsedOptions, tool: Tool): string | undefined {
  const { operands, unknown, loose } = parsed;
  if (unknown !== undefined) return `Uses ${name} ${unknown}, which isn't in the tables`;
  const all = [...operands, ...parsed.paths, ...loose];
  const other = all.find((word) => word.shape === "other");
  if (other !== undefined) return `Gives ${name} ${other.text}, which can't be read with certainty`;
  if (loose[0] !== undefined && !tool.inert) return `Gives ${name} ${loose[0].text}, which may turn into an option`;
  if (tool.maxOperands !== undefined) {
    const open = operands.find((word) => !word.single);
    if (operands.length > tool.maxOperands || open) return `Gives ${name} more files than it only reads`;
  }
  if (tool.operands === "none" && operands.length > 0) return `Gives ${name} an operand`;
  if (tool.operandForm !== undefined) {
    const form = new RegExp(tool.operandForm);
    const odd = operands.find((word) => word.literal === null || !form.test(word.literal));
    if (odd) return `Gives ${name} ${odd.text}, which isn't in the tables`;
  }
  return tool.operands === "format" ? findFormatProblem(operands[0]) : undefined;
}

/** The words of such a file are options and operands that nobody has seen. */
function findResponseFile(name: string, words: readonly WordReading[], tool: Tool): string | undefined {
  const word = tool.responseFiles
    ? words.find((one) => one.mask.startsWith("@") || one.mask.startsWith(WILD))
    : undefined;
  return word === undefined ? undefined : `Gives ${name} ${word.text}, which may stand for the words in a file`;
}

/** `%n` assigns to the variable that its argument names, and a subscript in that name runs code. */
function findFormatProblem(format: WordReading | undefined): string | undefined {
  if (format === undefined) return undefined;
  if (format.literal === null) return "Gives printf a format that isn't literal";
  return /%[^%a-zA-Z]*[hlLjztq]*n/.test(format.literal.replaceAll("%%", ""))
    ? "Uses the printf format %n, which assigns"
    : undefined;
}

function judgeOperands(name: string, parsed: ParsedOptions, { tool, site }: { tool: Tool; site: PathSite }): Effect[] {
  const recursive = (tool.recursive ?? []).some((option) => option === "*" || parsed.options.includes(option));
  const access = { namesOnly: tool.namesOnly === true, recursive };
  const read = readOperands(parsed, tool);
  const effects = [...parsed.paths, ...read].flatMap((word) => judgeRead(word, access, site));
  const open = [...parsed.operands, ...parsed.values].filter((word) => word.literal === null && !read.includes(word));
  for (const word of open) {
    if (word.shape === "glob") effects.push(...judgeRead(word, { namesOnly: true, recursive: false }, site));
    else effects.push(judgeOpenText(name, word, site));
  }
  if (read.length === 0 && (tool.readsCwd || recursive))
    effects.push(...judgeRead(literalWord(".", site.span), access, site));
  if (tool.reliesOnJail) effects.push(jailed(`Shows the environment or the processes with ${name}`, site));
  return (tool.follows ?? []).some((option) => parsed.options.includes(option)) ? effects.map(relyOnJail) : effects;
}

function readOperands(parsed: ParsedOptions, tool: Tool): readonly WordReading[] {
  if (tool.operands === "paths") return parsed.operands.filter((word) => word.literal !== "-");
  if (tool.operands !== "pattern") return [];
  const given = (tool.patternOptions ?? []).some((option) => parsed.options.includes(option));
  const operands = given ? parsed.operands : parsed.operands.slice(1);
  return operands.filter((word) => word.literal !== "-");
}

/** Printing a variable may show a secret of the environment; a jail's environment holds none. */
function judgeOpenText(name: string, word: WordReading, site: PathSite): Effect {
  return { ...jailed(`Gives ${name} what ${word.text} stands for`, site), own: false };
}

function jailed(sentence: string, site: PathSite): Effect {
  const about = { kind: "reads", risk: "safe", ruleId: "tool.environment", own: true, reliesOnJail: true } as const;
  return makeEffect(site.span, { ...about, layer: site.layer, sentence });
}

function notInTable(sentence: string, span: Span): Effect {
  return makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId: NOT_IN_TABLE, sentence, own: true });
}
