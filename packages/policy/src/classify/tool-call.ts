import {
  type Classification,
  type Effect,
  MAX_TARGETS,
  type Machine,
  makeEffect,
  type Part,
  reasons,
  type Span,
  worst,
} from "../model/index.ts";
import { mixesAlphabets, scanCharacters } from "../parse/index.ts";
import type { ReadArgument, ReadToolCall } from "../patterns/index.ts";
import { judgeNamedPath } from "./named-path.ts";

/** Classifies text as a shell command. Passed in so that the files don't import each other. */
export type ClassifyShell = (command: string, machine: Machine) => Classification;

/**
 * Classifies a tool call: the call itself, the paths in its arguments, and the harm of arguments that look like
 * commands. A tool call is never safe, because only its own server says what the tool does.
 */
export function classifyToolCall(
  command: string,
  call: ReadToolCall,
  { machine, classifyShell }: { readonly machine: Machine; readonly classifyShell: ClassifyShell },
): Classification {
  const own = [
    judgeCall(call),
    ...judgeArguments(call.arguments, machine),
    ...judgeScripts(call, machine, classifyShell),
  ];
  const part: Part = {
    span: { pos: 0, end: command.length },
    words: call.words,
    builtin: false,
    toolCall: true,
    directory: machine.cwd,
    code: [],
    effects: own,
  };
  const loose = judgeNames(call);
  const effects = [...loose, ...own];
  return {
    command,
    riskLevel: worst(effects.map((effect) => effect.risk)),
    riskReasons: reasons(effects),
    effects,
    parts: [part],
    opaque: false,
  };
}

function judgeCall({ server, tool, span }: ReadToolCall): Effect {
  return makeEffect(span, {
    kind: "executes",
    layer: "safe-binary",
    ruleId: "tool-call.unknown",
    sentence: `Calls the tool ${tool} of the MCP server ${server}, and what it does there isn't known`,
    target: `mcp:${server} ${tool}`,
    own: true,
  });
}

/**
 * Returns an effect for names with invisible characters. No entry covers it, because the person who made the entry saw
 * another name.
 */
function judgeNames({ server, tool, span, arguments: given }: ReadToolCall): Effect[] {
  const names = [server, tool, ...given.map(({ key }) => key)];
  const hidden = names.flatMap((name) => scanCharacters(name)).slice(0, 1);
  const found = hidden.map((effect) => ({
    ...effect,
    span,
    sentence: "A name in the call holds characters that can't be seen",
  }));
  if (names.some((name) => /[\t\n]/.test(name))) found.push(odd(span, "A name in the call goes over several lines"));
  if (names.some(mixesAlphabets))
    found.push(odd(span, "A name in the call mixes alphabets, so that it looks like another"));
  return found;
}

function odd(span: Span, sentence: string): Effect {
  return makeEffect(span, { kind: "obfuscation", ruleId: "tool-call.name", sentence });
}

function judgeArguments(given: readonly ReadArgument[], machine: Machine): Effect[] {
  const found = new Map<string, Effect>();
  for (const { value, span } of given) {
    for (const text of textsIn(value)) {
      for (const effect of judgeNamedPath(text, span, machine)) {
        found.set(`${effect.ruleId} ${effect.target}`, effect);
      }
    }
  }
  const effects = [...found.values()];
  if (effects.length <= MAX_TARGETS) return effects;
  // Nobody reads more than these one by one, so keep the worst.
  const grave = effects.filter(({ risk, floor }) => floor || risk === "dangerous").slice(0, MAX_TARGETS);
  const sentence = `Names ${effects.length} paths, which the tool may read or change`;
  return [...grave, makeEffect({ pos: 0, end: 0 }, { kind: "writes", ruleId: "tool-call.paths", sentence, own: true })];
}

/** Returns every text in a value, at any depth. Doesn't recurse, because the caller decides the depth. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const pending = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one === "string") texts.push(one);
    else if (typeof one === "object" && one !== null) {
      for (const [key, member] of Object.entries(one)) {
        if (!Array.isArray(one)) texts.push(key);
        pending.push(member);
      }
    }
  }
  return texts;
}

/** Argument names that suggest shell text. */
const SHELL_KEY = /^(?:command|cmd|commandline|command_line|script|shell|shell_command|bash)$/i;

/** Returns the dangerous effects of arguments that a shell would run. */
function judgeScripts({ arguments: given }: ReadToolCall, machine: Machine, classifyShell: ClassifyShell): Effect[] {
  return given.flatMap(({ key, value, span }) => {
    if (typeof value !== "string" || !SHELL_KEY.test(key)) return [];
    const inside = classifyShell(value, machine).effects.filter(({ risk, floor }) => floor || risk === "dangerous");
    return inside.map((effect) => ({ ...effect, span, own: true }));
  });
}
