import { type Language, TOOLS, type Tool, type Usage } from "../catalog/tools/index.ts";
import { literalWord, type Word } from "../model/index.ts";
import { compileOptions, type OptionTable, type ParsedOptions, parseOptions, type Splitting } from "../shell/index.ts";

interface CompiledTool extends CompiledUsage {
  readonly tool: Tool;
  readonly tree?: CommandTree;
}

/** One reading of the words: as the program's own use or as a subcommand's. */
export interface Reading extends Pick<CompiledUsage, "usage" | "operandForm" | "refuses" | "avoids"> {
  /** All words after the program's name. */
  readonly words: readonly Word[];
  readonly parsed: ParsedOptions;
  /** Options parsed before the subcommand. */
  readonly before: readonly ParsedOptions[];
  /** Program and subcommand, for sentences. */
  readonly label: string;
}

const byName = new Map<string, CompiledTool>(
  TOOLS.flatMap((tool) => {
    const tree = tool.uses === undefined ? {} : { tree: compileCommands(tool) };
    const compiled = { ...compileUsage(tool, tool.options), ...tree, tool };
    return tool.names.map((name): [string, CompiledTool] => [name, compiled]);
  }),
);

/** Returns the language of the program text that a tool takes as a word. */
export function findLanguage(name: string): Language | undefined {
  return byName.get(name)?.tool.language;
}

/** Returns the words of the subcommand, if the catalogue knows it. */
export function findKnownSubcommand(name: string, words: readonly Word[]): readonly string[] | undefined {
  const tree = byName.get(name)?.tree;
  const path = tree && findSubcommand(words, tree)?.path;
  return path ? path.split(" ") : undefined;
}

/** Reports whether the catalogue lists the option, in this spelling, for the use that the words choose. */
export function knowsOption(name: string, words: readonly Word[], option: string): boolean {
  const compiled = byName.get(name);
  if (compiled === undefined) return false;
  const found = compiled.tree && findSubcommand(words, compiled.tree);
  const uses = found === undefined || found.path === "" ? [compiled] : found.uses;
  return uses.some(({ table }) => table.kinds.has(option));
}

/** Returns the readings of these words, best first; empty for an unknown subcommand, undefined for an unknown tool. */
export function findReadings(name: string, words: readonly Word[]): readonly Reading[] | undefined {
  const compiled = byName.get(name);
  if (compiled === undefined) return undefined;
  if (compiled.tree === undefined) return [read(name, words, compiled)];
  const found = findSubcommand(words, compiled.tree);
  // A first word that isn't a subcommand may be program text (`yq eval .a`, `yq .a`).
  if (found === undefined) return compiled.usage.operands === "program" ? [read(name, words, compiled)] : [];
  if (found.path === "") return compiled.tool.alone === false ? [] : [read(name, words, compiled)];
  const { path, before, rest, uses } = found;
  return uses.map((use) => ({ ...read(`${name} ${path}`, rest, use), words, before }));
}

function read(label: string, all: readonly Word[], compiled: CompiledUsage): Reading {
  const { usage, table, operandForm, refuses, avoids } = compiled;
  const words = usage.bareCluster ? addDash(all) : all;
  const nothing = { options: [], values: [], paths: [], directories: [], programs: [], loose: [], read: words.length };
  const parsed = usage.noOptions ? { ...nothing, operands: words } : parseOptions(words, table, usage);
  return { usage, operandForm, refuses, avoids, words, parsed, before: [], label };
}

/** Reads `tar tzf x` as `tar -tzf x`. */
function addDash(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (first === undefined || !/^[A-Za-z]+$/.test(first.literal ?? "")) return words;
  return [literalWord(`-${first.literal}`, first.span), ...rest];
}

/** A use of a program, compiled. */
interface CompiledUsage {
  readonly usage: Usage;
  readonly table: OptionTable;
  readonly operandForm: RegExp | undefined;
  readonly refuses: RegExp | undefined;
  readonly avoids: RegExp | undefined;
  /** Subcommands that this use excludes. */
  readonly except?: RegExp;
}

/** A position in the tree of subcommands. */
interface Step {
  readonly words: Map<string, Step>;
  /** Next words that are given by a prefix. */
  readonly forms: { readonly beginning: string; readonly step: Step }[];
  /** The position after another group word of the tool. */
  group?: Step;
  readonly uses: CompiledUsage[];
  /** Options allowed before the next word, in addition to the tool's own. */
  readonly between: string[];
  leading?: OptionTable;
}

interface CommandTree {
  readonly root: Step;
  readonly groups: ReadonlySet<string>;
  readonly tool: Tool;
  /** How options before the subcommand are read. */
  readonly leading: Splitting;
}

interface Subcommand {
  readonly path: string;
  readonly before: readonly ParsedOptions[];
  readonly rest: readonly Word[];
  readonly uses: readonly CompiledUsage[];
}

function compileUsage(usage: Usage, ...lists: readonly string[]): CompiledUsage {
  const compile = (form: string | undefined) => (form === undefined ? undefined : new RegExp(form));
  const table = compileOptions(...lists);
  const forms = {
    operandForm: compile(usage.operandForm),
    refuses: compile(usage.refuses),
    avoids: compile(usage.avoids),
  };
  return { usage, table, ...forms };
}

export function compileCommands(tool: Tool): CommandTree {
  const root = makeStep();
  for (const use of tool.uses ?? []) {
    // Words are split in the same way for all subcommands of a program.
    const usage = tool.clusters === undefined ? use : { clusters: tool.clusters, ...use };
    const compiled = compileUsage(usage, use.options, tool.optionsAnywhere ? tool.options : "");
    const meant = use.except === undefined ? compiled : { ...compiled, except: new RegExp(use.except) };
    for (const command of use.commands) {
      let step = root;
      for (const word of command.split(" ")) {
        if (step !== root && use.between !== undefined) step.between.push(use.between);
        step = growStep(step, word);
      }
      step.uses.push(meant);
    }
  }
  return { root, groups: new Set(tool.groups?.split(/\s+/)), tool, leading: { ...tool, leading: true } };
}

function makeStep(): Step {
  return { words: new Map(), forms: [], uses: [], between: [] };
}

function growStep(step: Step, word: string): Step {
  if (word === "**") {
    if (step.group === undefined) {
      step.group = makeStep();
      step.group.group = step.group;
    }
    return step.group;
  }
  if (word.endsWith("*")) {
    const beginning = word.slice(0, -1);
    const form = step.forms.find((one) => one.beginning === beginning) ?? { beginning, step: makeStep() };
    if (!step.forms.includes(form)) step.forms.push(form);
    return form.step;
  }
  const next = step.words.get(word) ?? makeStep();
  step.words.set(word, next);
  return next;
}

/** Returns the longest known subcommand, with the options before and between its words; undefined if there is none. */
export function findSubcommand(words: readonly Word[], tree: CommandTree): Subcommand | undefined {
  const before: ParsedOptions[] = [];
  let found: Subcommand | undefined;
  let path = "";
  let rest = words;
  for (let steps: readonly Step[] = [tree.root]; steps.length > 0; ) {
    const parsed = parseOptions(rest, leadingTable(steps[0] as Step, tree), tree.leading);
    if (parsed.unknown !== undefined || parsed.loose.length > 0) return found;
    before.push(parsed);
    const word = rest[parsed.read];
    if (word === undefined && path === "") return { path, before, rest: [], uses: [] };
    const literal = word?.literal ?? null;
    if (literal === null) return found;
    path = path === "" ? literal : `${path} ${literal}`;
    rest = rest.slice(parsed.read + 1);
    const next: Step[] = [];
    const uses: CompiledUsage[] = [];
    for (const step of steps) takeStep(step, literal, { next, groups: tree.groups });
    for (const step of next) for (const use of step.uses) if (!use.except?.test(path)) uses.push(use);
    steps = next;
    if (uses.length > 0) found = { path, before: [...before], rest, uses };
  }
  return found;
}

interface Taking {
  readonly next: Step[];
  readonly groups: ReadonlySet<string>;
}

/** Adds the positions after one more word to `next`, exact names first. */
function takeStep({ words, forms, group }: Step, word: string, { next, groups }: Taking): void {
  const named = words.get(word);
  if (named !== undefined) next.push(named);
  for (const { beginning, step } of forms) if (word.startsWith(beginning)) next.push(step);
  if (group !== undefined && groups.has(word)) next.push(group);
}

function leadingTable(step: Step, { tool }: CommandTree): OptionTable {
  step.leading ??= compileOptions(tool.options, ...step.between);
  return step.leading;
}
