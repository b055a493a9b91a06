import type { Tool, Usage } from "../catalog/tools/index.ts";
import type { WordReading } from "../model/index.ts";
import { compileOptions, type OptionTable, type ParsedOptions, parseOptions, type Splitting } from "../shell/index.ts";

/** A use of a program, its texts compiled. */
export interface CompiledUsage {
  readonly usage: Usage;
  readonly table: OptionTable;
  readonly operandForm: RegExp | undefined;
  readonly refuses: RegExp | undefined;
  readonly avoids: RegExp | undefined;
  /** Subcommands that the use doesn't mean. */
  readonly except?: RegExp;
}

/** Where the words of a subcommand have led so far. */
interface Step {
  readonly words: Map<string, Step>;
  /** Next words of which only the beginning is given. */
  readonly forms: { readonly beginning: string; readonly step: Step }[];
  /** After one more of the tool's groups. */
  group?: Step;
  readonly uses: CompiledUsage[];
  /** Options that may stand before the next word, besides the tool's own. */
  readonly between: string[];
  leading?: OptionTable;
}

export interface CommandTree {
  readonly root: Step;
  readonly groups: ReadonlySet<string>;
  readonly tool: Tool;
  /** How options before the subcommand are read. */
  readonly leading: Splitting;
}

export interface Subcommand {
  readonly path: string;
  readonly before: readonly ParsedOptions[];
  readonly rest: readonly WordReading[];
  readonly uses: readonly CompiledUsage[];
}

export function compileUsage(usage: Usage, ...lists: readonly string[]): CompiledUsage {
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
    // How words are split is the same under all subcommands of a program.
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

/** Takes the longest subcommand that the tables know, with the options before and between its words; undefined for none. */
export function findSubcommand(words: readonly WordReading[], tree: CommandTree): Subcommand | undefined {
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

/** Adds all ways to go on with a word to `next`, those that name it first. */
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
