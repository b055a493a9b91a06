import { HARMLESS_SHELL_OPTIONS, INTERPRETERS, READABLE_SHELLS, SHELLS } from "../catalog/index.ts";
import { basename, type Effect, isInsideAny, makeEffect, type Span, WILD, type Word } from "../model/index.ts";
import { judgeRead, type PathSite } from "../paths/index.ts";
import {
  FIND_NOT_IN_TABLE,
  type Identified,
  judgeDangers,
  judgeFind,
  judgePlaces,
  judgeSensitiveOperands,
} from "../programs/index.ts";
import { type Call, type Frame, unwrap } from "../shell/index.ts";
import { changeDirectory } from "./directory.ts";
import { judgeDownloadedCode, judgeMadeUpCode, judgeUntrusted } from "./hazards.ts";
import type { InnerScript, Invocation, Judged } from "./invocation.ts";
import { NOT_POSIX } from "./other-shells.ts";
import { judgeSplitString } from "./rewrite.ts";

/** Judges programs that run other programs: wrappers, shells, find. */
export function judgeRunner(identified: Identified, invocation: Invocation): Judged | undefined {
  const { words, call } = invocation;
  const { name } = identified;
  if (name === "env" && words.some((word) => /^(-[0iv]*S|--s)/.test(word.mask))) return judgeSplitString(invocation);
  if (name === "env" && words.length === 1)
    return { effects: [...judgeUntrusted(identified, call), showsEnvironment(call)] };
  if (SHELLS.includes(name)) return judgeShellCall(identified, invocation);
  if (name === "find" && identified.program !== undefined) return judgeSearch(invocation);
  return judgeWrapper(identified, invocation);
}

function judgeWrapper(identified: Identified, { words, operands, frame, call, site }: Invocation): Judged | undefined {
  const { name } = identified;
  const wrapped = unwrap(name, words, call.span);
  if (wrapped === undefined || (wrapped.inner.length === 0 && wrapped.effects.length === 0)) return undefined;
  const reads = wrapped.reads.flatMap((word) => judgeRead(word, { namesOnly: false, recursive: false }, site));
  const dangers = judgeDangers(name, operands, { site, stdin: call.stdin });
  const moved = wrapped.directory === undefined ? undefined : moveTo(wrapped.directory, frame, site);
  const { text, sweeps, runsBuiltins } = wrapped;
  return {
    effects: [...judgeUntrusted(identified, call), ...dangers, ...wrapped.effects, ...reads, ...(moved?.effects ?? [])],
    inner: [wrapped.inner],
    runsBuiltins,
    sweeps,
    ...(moved === undefined ? {} : { directory: moved.directory }),
    ...(text?.literal == null ? {} : { scripts: [{ text: text.literal, span: text.span, child: { foreign: true } }] }),
  };
}

function judgeShellCall(identified: Identified, { draft, operands, call, site }: Invocation): Judged {
  const { name } = identified;
  const stdin = call.stdin === undefined ? {} : { stdin: call.stdin };
  const judged = judgeShell({ name, words: operands, span: call.span, ...stdin });
  // The words after a script are its arguments.
  const given = [...judgeSensitiveOperands(name, operands, site), ...judgePlaces(name, operands, site)];
  // The code itself, not one of its arguments.
  const code = operands.find((word) => !/^[-+]/.test(word.mask));
  const madeUp = code?.literal === null ? judgeMadeUpCode(name, call) : [];
  const around = [
    ...(judged.scripts === undefined ? given : []),
    ...judgeDownloadedCode(name, { draft, call }),
    ...madeUp,
  ];
  const effects = [...judgeUntrusted(identified, call), ...judgeLogin(operands, site), ...judged.effects, ...around];
  return { ...judged, effects };
}

/**
 * Returns an effect for `bash -l`, which reads /etc/profile and a profile in the home first. An agent can't change
 * those without a question, unless the home is in the workspace.
 */
function judgeLogin(operands: readonly Word[], { machine, span }: PathSite): Effect[] {
  const login = operands.some(({ literal }) => /^(?:-[a-z]*l[a-z]*|--login)$/.test(literal ?? ""));
  if (!login || !isInsideAny(machine.home, machine.roots)) return [];
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return [makeEffect(span, { ...about, ruleId: "shell.login", sentence: "Runs the profile in this workspace first" })];
}

function judgeSearch({ operands, frame, call, site }: Invocation): Judged {
  const dangers = judgeDangers("find", operands, { site, stdin: call.stdin });
  const { effects, inner, elsewhere } = judgeFind(operands, site);
  // A matched pattern describes the action better than "not in the catalogue".
  const rest = dangers.length > 0 ? effects.filter((effect) => effect.ruleId !== FIND_NOT_IN_TABLE) : effects;
  const directory = elsewhere ? { directory: { path: frame.directory.path, certain: false } } : {};
  return { effects: [...dangers, ...rest], inner, sweeps: true, ...directory };
}

/** Returns the directory and effects of a command that is told to run elsewhere, as after a `cd`. */
function moveTo(word: Word, frame: Frame, site: PathSite) {
  const directory = { ...frame.directory };
  const effects = changeDirectory([word], { ...frame, directory }, { ...site, directory });
  return { effects, directory };
}

function showsEnvironment({ span }: Call): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return makeEffect(span, { ...about, ruleId: "env.show", sentence: "Shows the environment" });
}

type JudgedShell = Pick<Judged, "effects" | "scripts">;

interface ShellCall {
  readonly name: string;
  readonly words: readonly Word[];
  readonly span: Span;
  readonly stdin?: string;
}

/** Judges `sh -c '…'` and similar commands. Text that isn't literal, or not in bash's grammar, is never safe. */
function judgeShell(call: ShellCall): JudgedShell {
  const { name, words, span } = call;
  const found = findScript(words);
  if (found.script !== undefined) return judgeScript(found as FoundScript & { script: Word }, call);
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

/** Reports whether an interpreter reads its program from standard input: it has neither a script nor inline code. */
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
  readonly script?: Word;
  /** The words after the script: its name, then `$1` and so on. */
  readonly rest?: readonly Word[];
  readonly operand?: Word;
  /** False if unknown options precede it. */
  readonly plain: boolean;
}

function findScript(words: readonly Word[]): FoundScript {
  let plain = true;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as Word;
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
  { script, rest = [], plain }: FoundScript & { readonly script: Word },
  { name, span }: ShellCall,
): JudgedShell {
  const effects: Effect[] = [];
  const { literal } = script;
  if (literal === null) effects.push(executes(`Runs shell text that is only known when ${name} runs`, span, false));
  if (!plain) effects.push(executes(`Starts ${name} with options that aren't in the catalogue`, span, false));
  if (!READABLE_SHELLS.includes(name))
    effects.push(executes(`Runs text of ${name}, which isn't read as bash`, span, false));
  if (name !== "bash" && NOT_POSIX.test((literal ?? "").replaceAll("\\\n", "")))
    effects.push(executes(`Uses syntax that ${name} may read differently than bash`, span, false));
  // An unknown part becomes a variable in the text, so that the rest can be parsed.
  const text = literal ?? script.guess.replaceAll(WILD, " $UNKNOWN ");
  const child: InnerScript["child"] = { foreign: !READABLE_SHELLS.includes(name), positional: rest.slice(1) };
  return { effects, scripts: [{ text, span: script.span, child }] };
}

function executes(sentence: string, span: Span, own: boolean): Effect {
  return makeEffect(span, { kind: "executes", ruleId: "shell.executes", sentence, own });
}
