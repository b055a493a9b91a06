import { HARMLESS_SHELL_OPTIONS, INTERPRETERS, READABLE_SHELLS, SHELLS } from "../catalog/index.ts";
import { basename, type Effect, makeEffect, type Span, WILD, type WordReading } from "../model/index.ts";
import type { InnerScript, Judged } from "./judge-program.ts";

export type JudgedShell = Pick<Judged, "effects" | "scripts">;

/**
 * A POSIX sh takes these for something else than bash does: `a &> b` runs a in the background, the 10 of `a 10> b` is an
 * operand, since only one digit makes a descriptor, braces are text, and `export a=$b` splits what b holds.
 */
export const NOT_POSIX =
  /\$['"[]|[&<>]\(|&>|\|&|<<<|\[\[|\(\(|\b(function|time|local|declare|typeset|export|readonly|let|source|mapfile|readarray|pushd|popd)\b|\d\d[<>]|[<>]&\d\d|\w\+=|=\(|\{[^}\s]{0,99}(,|\.\.)|\$\{\w*(?:[/^,@![]|:[^-=?+])|\[@\]/;

interface ShellCall {
  readonly name: string;
  readonly words: readonly WordReading[];
  readonly span: Span;
  readonly stdin?: string;
}

/** `sh -c '…'` and its like. Text that isn't literal, or a grammar that isn't bash's, is never safe. */
export function judgeShell(call: ShellCall): JudgedShell {
  const { name, words, span } = call;
  const found = findScript(words);
  if (found.script !== undefined) return judgeScript(found as FoundScript & { script: WordReading }, call);
  if (found.operand !== undefined) {
    const own = found.plain && found.operand.literal !== null;
    return { effects: [executes(`Runs the script ${found.operand.text} with ${name}`, span, own)] };
  }
  const effects = [executes(`Runs what ${name} reads from its input`, span, false)];
  const foreign = name !== "bash";
  return call.stdin === undefined
    ? { effects }
    : { effects, scripts: [{ text: call.stdin, span, child: { foreign } }] };
}

/** An interpreter without a script or inline code takes its program from standard input. */
export function readsCodeFromStdin(words: readonly (string | null)[]): boolean {
  const name = basename(words[0] ?? "").replace(/[\d.]+$/, "");
  if (!INTERPRETERS.includes(name) && !INTERPRETERS.includes(basename(words[0] ?? ""))) return false;
  const rest = words.slice(1);
  if (rest.includes("-") || rest.includes("-s") || rest.includes("/dev/stdin")) return true;
  if (rest.some((word) => word === null || !word.startsWith("-"))) return false;
  const inline = SHELLS.includes(name) ? /^-[a-z]*c/ : /^(-[a-z]*[cemr]|--eval|--version|-V|-v|--help)/;
  return !rest.some((word) => word !== null && inline.test(word));
}

interface FoundScript {
  readonly script?: WordReading;
  /** What follows the script: its own name, then `$1` and further. */
  readonly rest?: readonly WordReading[];
  readonly operand?: WordReading;
  /** False when options that aren't known came first. */
  readonly plain: boolean;
}

function findScript(words: readonly WordReading[]): FoundScript {
  let plain = true;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as WordReading;
    if (word.literal === null || !/^[-+]./.test(word.literal)) return { operand: word, plain };
    if (word.literal === "--") continue;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.literal)) {
      const at = words.findIndex((one, place) => place > index && !/^[-+]/.test(one.mask));
      const script = words[at];
      return {
        plain: plain && at === index + 1 && /^-[eufl]*c[eufl]*$/.test(word.literal),
        ...(script === undefined ? {} : { script, rest: words.slice(at + 1) }),
      };
    }
    const named = /^[-+][a-zA-Z]*o$/i.test(word.literal);
    if (named) index += 1;
    const harmless = /^(-[eufl]+|--noprofile|--norc|--login)$/.test(word.literal);
    const option = named && /^-[eufl]*o$/.test(word.literal) ? (words[index]?.literal ?? "") : "";
    if (!harmless && !HARMLESS_SHELL_OPTIONS.names.includes(option)) plain = false;
  }
  return { plain };
}

function judgeScript(
  { script, rest = [], plain }: FoundScript & { readonly script: WordReading },
  { name, span }: ShellCall,
): JudgedShell {
  const effects: Effect[] = [];
  const { literal } = script;
  if (literal === null) effects.push(executes(`Runs shell text that is only known when ${name} runs`, span, false));
  if (!plain) effects.push(executes(`Starts ${name} with options that aren't in the tables`, span, false));
  if (!READABLE_SHELLS.includes(name))
    effects.push(executes(`Runs text of ${name}, which isn't read as bash`, span, false));
  if (name !== "bash" && NOT_POSIX.test((literal ?? "").replaceAll("\\\n", "")))
    effects.push(executes(`Uses syntax that ${name} may read otherwise than bash`, span, false));
  // What is only known later stands in the text as a variable, so that the rest of it can be read.
  const text = literal ?? script.guess.replaceAll(WILD, " $UNKNOWN ");
  const child: InnerScript["child"] = { foreign: !READABLE_SHELLS.includes(name), positional: rest.slice(1) };
  return { effects, scripts: [{ text, span: script.span, child }] };
}

function executes(sentence: string, span: Span, own: boolean): Effect {
  return makeEffect(span, { kind: "executes", ruleId: "shell.executes", sentence, own });
}
