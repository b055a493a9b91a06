import { findSender, judgeFedReads } from "../data-flow/index.ts";
import {
  type Classification,
  type Effect,
  isInsideAny,
  MAX_COMMAND_LENGTH,
  type Machine,
  makeEffect,
  type Part,
  reasons,
  worst,
} from "../model/index.ts";
import { scanCharacters } from "../parse/index.ts";
import { guardPolicy } from "../paths/index.ts";
import { readSandboxCall, readToolCall } from "../patterns/index.ts";
import { withholdNetwork } from "../programs/index.ts";
import { type Draft, type DraftPart, type Frame, judgeVariable, markOpaque, newShell } from "../shell/index.ts";
import { isForeign, judgeReader, walkScript } from "../walk/index.ts";
import { classifySandboxCall } from "./sandbox-call.ts";
import { classifyToolCall } from "./tool-call.ts";

/**
 * Classifies a shell command, a tool call or a call into a sandbox. Never throws. Text that can't be parsed is opaque,
 * and nothing is safe unless each of its words is understood.
 */
export function classify(command: string, machine: Machine): Classification {
  const call = readToolCall(command);
  if (call !== undefined) return classifyToolCall(command, call, { machine, classifyShell });
  const inSandbox = readSandboxCall(command);
  if (inSandbox !== undefined) return classifySandboxCall(command, inSandbox, classifyShell);
  return classifyShell(command, machine);
}

function classifyShell(command: string, machine: Machine): Classification {
  const draft: Draft = {
    machine,
    parts: [],
    loose: [...scanCharacters(command), ...judgeContext(machine)],
    opaque: false,
    commands: 0,
    assignments: 0,
    definitions: [],
    hidden: [],
    aliases: new Map(),
    traps: false,
    downloads: new Set(),
    written: new Map(),
    sender: findSender(command, machine),
  };
  const whole = { pos: 0, end: command.length };
  if (command.includes("\0")) markOpaque(draft, whole, "Contains a NUL, where the command would end early");
  judgeReader(draft, command);
  if (command.length > MAX_COMMAND_LENGTH) markOpaque(draft, whole, "Is longer than the parser reads");
  const frame: Frame = {
    source: command,
    names: () => new Map(),
    directory: { path: machine.cwd, certain: true, places: [machine.cwd] },
    shell: newShell(isForeign(machine.shell)),
    span: undefined,
    wrapper: undefined,
    unwraps: 0,
    nesting: 0,
    inLoop: false,
    copies: 1,
    sweeps: false,
    functions: [],
    forks: false,
  };
  try {
    walkScript(draft, command.slice(0, MAX_COMMAND_LENGTH), frame);
    judgeFedReads(draft);
  } catch (error) {
    // Neither the parser nor the catalogue should throw; if one does, the command counts as unreadable.
    markOpaque(draft, whole, `Can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return finish(command, draft);
}

function finish(command: string, draft: Draft): Classification {
  const { opaque } = draft;
  const found = draft.loose.map(guardPolicy);
  const finished = draft.parts.map(finishPart);
  const { effects, parts } = withheld(found, finished);
  return {
    command,
    riskLevel: worst(effects.map((effect) => effect.risk)),
    riskReasons: reasons(effects),
    effects,
    parts,
    opaque,
  };
}

/** Returns all effects and parts, after `withholdNetwork` has looked at the whole command. */
function withheld(loose: readonly Effect[], parts: readonly Part[]): Pick<Classification, "effects" | "parts"> {
  const effects = allOf(loose, parts);
  const ask = withholdNetwork(effects);
  if (ask === undefined) return { effects, parts };
  const asking = parts.map((part) => ({ ...part, effects: part.effects.map(ask) }));
  return { effects: allOf(loose.map(ask), asking), parts: asking };
}

function allOf(loose: readonly Effect[], parts: readonly Part[]): Effect[] {
  const effects = loose.slice();
  for (const part of parts) for (const effect of part.effects) effects.push(effect);
  return effects;
}

function finishPart({ span, words, builtin, effects, directory, code, program, wrapper, described }: DraftPart): Part {
  const part: { -readonly [Key in keyof Part]: Part[Key] } = {
    span,
    words,
    builtin,
    effects: effects.map(guardPolicy),
  };
  if (directory !== undefined) part.directory = directory;
  if (code !== undefined) part.code = code;
  if (program !== undefined) part.program = program;
  if (wrapper !== undefined) part.wrapper = wrapper;
  if (described) part.described = true;
  return part;
}

function judgeContext(machine: Machine): Effect[] {
  const span = { pos: 0, end: 0 };
  const effects = Object.entries(machine.env).flatMap(([name, value]) => judgeVariable(name, value, span));
  if (isInsideAny(machine.cwd, machine.roots)) return effects;
  const sentence = `Works outside the workspace: ${machine.cwd}`;
  return [...effects, makeEffect(span, { kind: "reads", ruleId: "context.outside", sentence, target: machine.cwd })];
}

/** Reports whether a text is a call of an MCP tool or into a sandbox. No shell is ever given one. */
export function isCall(text: string): boolean {
  return readToolCall(text) !== undefined || readSandboxCall(text) !== undefined;
}
