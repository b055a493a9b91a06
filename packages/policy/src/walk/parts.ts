import { DOWNLOADERS } from "../catalog/index.ts";
import { findWritten, isDecoder, judgeDownloaded, noteDownload, noteText, noteWritten } from "../data-flow/index.ts";
import { type Effect, MAX_COMMANDS, MAX_UNWRAP_DEPTH, makeEffect, shellEffect, type Word } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import { findCode, identifyProgram } from "../programs/index.ts";
import {
  type Call,
  type Carried,
  type DefinedFunction,
  type Draft,
  type DraftPart,
  type Followup,
  type Frame,
  markOpaque,
  positionalOf,
  startShell,
} from "../shell/index.ts";
import type { InnerScript, Judged } from "./invocation.ts";
import { judgeProgram } from "./program.ts";

const downloaders = new Set(DOWNLOADERS);

/** A command to judge: the call itself, then each command that a wrapper in it runs. */
interface PendingCommand {
  readonly words: readonly Word[];
  readonly frame: Frame;
  readonly foreign: readonly Effect[];
  readonly builtins: boolean;
}

/** Adds a part for the command and for each command that its wrappers run. Returns the shell code that these run. */
export function judgeCommand(draft: Draft, frame: Frame, call: Call): Followup[] {
  if (call.words.length === 0) return [];
  const followups: Followup[] = [];
  const defined = findFunction(frame, call);
  if (defined !== undefined) {
    followups.push(...callDefined(defined, frame, call));
    if (defined.certain) {
      draft.commands += 1;
      draft.loose.push(...call.foreign);
      return draft.commands > MAX_COMMANDS ? refuseLongCommand(draft, call) : followups;
    }
    draft.loose.push(
      shellEffect("obfuscation", `Calls ${call.words[0]?.literal}, which may be a function or a program`, call.span),
    );
  }
  const alias = draft.aliases.get(call.words[0]?.literal ?? "");
  if (alias !== undefined) {
    const rest = call.words.slice(1).map((word) => quote(word.literal ?? "$UNKNOWN"));
    followups.push({ kind: "carried", carried: { text: [alias, ...rest].join(" "), sweeps: false }, call, frame });
  }
  const pending: PendingCommand[] = [{ words: call.words, frame, foreign: call.foreign, builtins: true }];
  for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
    if (item.frame.unwraps > MAX_UNWRAP_DEPTH || draft.commands >= MAX_COMMANDS) return refuseLongCommand(draft, call);
    draft.commands += 1;
    const wrapper = draft.parts.length;
    const judged = judgePart(draft, item, call);
    if (!runsSomething(judged)) continue;
    const { directory = item.frame.directory, sweeps = false } = judged;
    const { frame: outer } = item;
    const runs = { ...outer, wrapper, unwraps: outer.unwraps + 1, directory, sweeps: sweeps || outer.sweeps };
    for (const words of judged.inner ?? []) {
      const builtins = judged.runsBuiltins === true;
      if (words.length > 0) pending.push({ words, frame: runs, foreign: [], builtins });
    }
    for (const script of judged.scripts ?? [])
      followups.push({ kind: "source", source: script.text, frame: scriptFrame(script, runs) });
    for (const carried of judged.carried ?? []) followups.push({ kind: "carried", carried, call, frame: runs });
  }
  return followups;
}

function runsSomething({ inner, scripts, carried }: Judged): boolean {
  return inner !== undefined || scripts !== undefined || carried !== undefined;
}

function quote(text: string): string {
  return /^[\w$./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the texts of `$BASH -c '…'`: the unknown program may be a shell. */
function textsForShell(words: readonly Word[]): Carried[] {
  return words.flatMap(({ literal }, at) =>
    literal !== null && /^-[a-z]*c$/.test(words[at - 1]?.literal ?? "") ? [{ text: literal, sweeps: false }] : [],
  );
}

function refuseLongCommand(draft: Draft, { span }: Call): Followup[] {
  markOpaque(draft, span, "Has more commands than the parser follows");
  if (draft.commands >= MAX_COMMANDS) draft.commands = MAX_COMMANDS + 1;
  return [];
}

/**
 * Returns the function that the name calls. Functions take precedence over builtins and programs; recursion isn't
 * followed.
 */
function findFunction({ shell, functions }: Frame, { words }: Call): DefinedFunction | undefined {
  const name = words[0]?.literal;
  if (shell.functions.size === 0 || name === null || name === undefined || functions.includes(name)) return undefined;
  return shell.functions.get(name);
}

function callDefined({ certain, definitions }: DefinedFunction, frame: Frame, { words }: Call): Followup[] {
  const inner = { ...frame, unwraps: frame.unwraps + 1 };
  return definitions.map((definition) => ({
    kind: "function",
    definition,
    positional: positionalOf(words.slice(1)),
    frame: inner,
    suspected: !certain,
  }));
}

/** Returns the frame of a script. In a new shell only its arguments are certain. */
function scriptFrame({ span, child }: InnerScript, frame: Frame): Frame {
  const shell =
    child === undefined
      ? frame.shell
      : {
          ...startShell(frame.shell, child.foreign),
          ...(child.positional ? { positional: positionalOf(child.positional) } : {}),
        };
  return { ...frame, directory: { ...frame.directory }, shell, span };
}

function judgePart(draft: Draft, { words, frame, foreign, builtins }: PendingCommand, call: Call): Judged {
  const { machine, parts } = draft;
  const { span } = call;
  const head = words[0] as Word;
  const before = frame.span === undefined ? frame.source.slice(0, head.span.pos) : undefined;
  const site: PathSite = { machine, directory: frame.directory, span, own: true, layer: "safe-binary", before };
  const identified = head.literal === null ? undefined : identifyProgram(head.literal, machine, { builtins });
  // Read before judging, because `cd` changes it.
  const directory = frame.directory.certain ? frame.directory.path : undefined;
  const code =
    identified === undefined
      ? undefined
      : findCode(identified, words, { directory: frame.directory, home: machine.home });
  const judged =
    identified === undefined
      ? { effects: judgeOpenCommandWord(words, call), carried: textsForShell(words) }
      : judgeProgram(identified, { draft, frame, words, operands: words.slice(1), call, site });
  const hidden = head.indirect ? [shellEffect("obfuscation", `Takes the program's name from ${head.text}`, span)] : [];
  const part: DraftPart = {
    span,
    words: words.map((word) => word.literal),
    builtin: identified?.builtin ?? false,
    effects: [...foreign, ...hidden, ...judgeDownloaded(draft, words, site), ...judged.effects],
    directory,
    code,
    program: identified?.program,
    wrapper: frame.wrapper,
    described: judged.described === true,
  };
  parts.push(part);
  const written = findWritten(draft, words, site);
  noteText(draft, part, call);
  if (downloaders.has(identified?.name ?? "")) {
    noteDownload(draft, words, site);
    noteWritten(draft, part.effects);
  }
  return written.length === 0 ? judged : { ...judged, carried: [...(judged.carried ?? []), ...written] };
}

/**
 * Judges a command word that isn't literal, so the program isn't known. It is dangerous if the words look like a
 * deletion.
 */
function judgeOpenCommandWord(words: readonly Word[], { span, fedByDownload, fedBy }: Call): Effect[] {
  const head = words[0] as Word;
  const deletes =
    words.some((word) => /^-[a-zA-Z]*([rR][a-zA-Z]*f|f[a-zA-Z]*[rR])/.test(word.literal ?? "")) ||
    /\brm\b/.test(head.text);
  const decodes = head.shape === "substitution" && fedBy.some(isDecoder);
  const hides = deletes || decodes || fedByDownload || head.shape === "glob";
  const sentence = hides
    ? `Hides which program runs behind ${head.text}`
    : `Runs ${head.text}, a program whose name is only known when it runs`;
  const risk = hides ? "dangerous" : "needs-review";
  return [makeEffect(span, { kind: "obfuscation", risk, ruleId: "command.not-literal", sentence })];
}
