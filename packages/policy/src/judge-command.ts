import { changeDirectory } from "./change-directory.ts";
import { type Call, type Draft, type DraftPart, type Followup, type Frame, markOpaque } from "./draft.ts";
import type { Effect, Span } from "./effect.ts";
import { type Identified, identifyProgram } from "./identify-program.ts";
import { judgeOpenCommandWord } from "./judge-command-word.ts";
import { judgeDangers } from "./judge-danger.ts";
import { judgeFind } from "./judge-find.ts";
import { judgeSensitiveOperands } from "./judge-operands.ts";
import { judgeRead, type PathSite } from "./judge-path.ts";
import { judgeShell } from "./judge-shell.ts";
import { judgeTest } from "./judge-test.ts";
import { judgeTool } from "./judge-tool.ts";
import { judgeUnknown } from "./judge-unknown.ts";
import { MAX_COMMANDS, MAX_UNWRAP_DEPTH } from "./limits.ts";
import type { WordReading } from "./read-word.ts";
import { mixesAlphabets } from "./scan-characters.ts";
import { INTERPRETERS, REWRITES_SHELL, SHELLS, TAKES_SCRIPT } from "./tables/programs.ts";
import { unwrap } from "./unwrap.ts";

/** One command to judge: the call itself, then what each wrapper in it runs. */
interface Pending {
  readonly words: readonly WordReading[];
  readonly frame: Frame;
  readonly foreign: readonly Effect[];
}

/** What judging one program found: its effects, and what it runs in turn. */
interface Judged {
  readonly effects: readonly Effect[];
  readonly inner?: readonly (readonly WordReading[])[];
  readonly script?: string;
  readonly scriptSpan?: Span;
}

/** Adds a part for the command and one for everything its wrappers run; returns the shell text found in its words. */
export function judgeCommand(draft: Draft, frame: Frame, call: Call): Followup[] {
  const followups: Followup[] = [];
  const pending: Pending[] = [{ words: call.words, frame, foreign: call.foreign }];
  for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
    if (item.frame.unwraps > MAX_UNWRAP_DEPTH || draft.commands >= MAX_COMMANDS) {
      markOpaque(draft, call.span, "Nests or joins more commands than are read");
      break;
    }
    draft.commands += 1;
    const index = draft.parts.length;
    const judged = judgePart(draft, item, call);
    const inside: Frame = { ...item.frame, wrapper: index, unwraps: item.frame.unwraps + 1 };
    for (const words of judged.inner ?? []) if (words.length > 0) pending.push({ words, frame: inside, foreign: [] });
    if (judged.script !== undefined) {
      const directory = { ...frame.directory };
      followups.push({ source: judged.script, frame: { ...inside, directory, span: judged.scriptSpan ?? call.span } });
    }
  }
  return followups;
}

function judgePart(draft: Draft, item: Pending, call: Call): Judged {
  const { words, frame } = item;
  const head = words[0] as WordReading;
  const site: PathSite = {
    context: draft.context,
    directory: frame.directory,
    span: call.span,
    own: true,
    layer: "safe-binary",
  };
  const identified = head.literal === null ? undefined : identifyProgram(head.literal, draft.context);
  const judged =
    identified === undefined
      ? { effects: judgeOpenCommandWord(words, call.span) }
      : judgeProgram(identified, { draft, item, call, site });
  const part: DraftPart = {
    span: call.span,
    words: words.map((word) => word.literal),
    builtin: identified?.builtin ?? false,
    effects: [...item.foreign, ...judged.effects],
    ...(identified?.program === undefined ? {} : { program: identified.program }),
    ...(frame.wrapper === undefined ? {} : { wrapper: frame.wrapper }),
  };
  draft.parts.push(part);
  return judged;
}

interface Setting {
  readonly draft: Draft;
  readonly item: Pending;
  readonly call: Call;
  readonly site: PathSite;
}

function judgeProgram(identified: Identified, setting: Setting): Judged {
  const { item, call, site } = setting;
  const { name } = identified;
  const words = item.words.slice(1);
  if (identified.builtin && REWRITES_SHELL.includes(name)) return judgeRewrite(name, setting);
  if (name === "cd" && identified.builtin) return { effects: changeDirectory(words, item.frame, site) };
  if ((name === "pushd" || name === "popd") && identified.builtin) item.frame.directory.certain = false;
  if (name === "command" && /^-[pvV]*[vV]/.test(words[0]?.literal ?? "")) return { effects: [] };
  const shared = [...judgeSelf(identified, call), ...judgeFork(identified, setting)];
  if (name === "env" && words.some((word) => /^(-S|--s)/.test(word.mask))) return judgeSplitString(setting);
  if (name === "env" && words.length === 0)
    return { effects: [...shared, ...trust(identified, call), showsEnvironment(call)] };
  const wrapped = unwrap(name, item.words, call.span);
  if (wrapped !== undefined && (wrapped.inner.length > 0 || wrapped.effects.length > 0)) {
    const reads = wrapped.reads.flatMap((word) => judgeRead(word, { namesOnly: false, recursive: false }, site));
    return { effects: [...shared, ...trust(identified, call), ...wrapped.effects, ...reads], inner: [wrapped.inner] };
  }
  if (SHELLS.includes(name)) {
    const stdin = call.stdin === undefined ? {} : { stdin: call.stdin };
    const judged = judgeShell({ name, words, span: call.span, ...stdin });
    return { ...judged, effects: [...shared, ...trust(identified, call), ...judged.effects, ...judgeFed(call, name)] };
  }
  const dangers = judgeDangers(name, words, site);
  const trusted = identified.program !== undefined;
  if (name === "find" && trusted) {
    const { effects, inner } = judgeFind(words, site);
    return { effects: [...shared, ...dangers, ...(dangers.length > 0 ? [] : effects)], inner };
  }
  if (trusted && (name === "test" || name === "[")) return { effects: judgeTest(name, words, site) };
  const known = trusted ? judgeTool(name, words, site) : undefined;
  if (known !== undefined) return { effects: [...shared, ...dangers, ...known] };
  const sensitive = judgeSensitiveOperands(name, words, site);
  const unknown = judgeUnknown(identified, words, { site, described: dangers.some((effect) => effect.own) });
  return { effects: [...shared, ...dangers, ...sensitive, ...unknown, ...judgeFed(call, name)] };
}

/** Confusable letters in the command word. */
function judgeSelf(identified: Identified, call: Call): Effect[] {
  if (!mixesAlphabets(identified.name)) return [];
  const sentence = `The name ${identified.name} mixes letters of two alphabets`;
  const { span } = call;
  return [
    {
      kind: "obfuscation",
      risk: "dangerous",
      span,
      layer: "shell-syntax",
      ruleId: "command.confusable",
      sentence,
      own: false,
    },
  ];
}

/** Wrappers and shells must be the real ones too. */
function trust(identified: Identified, call: Call): Effect[] {
  if (identified.program !== undefined) return [];
  const sentence = `Runs ${identified.name}, which isn't on the trusted PATH`;
  const { span } = call;
  return [
    {
      kind: "executes",
      risk: "needs-review",
      span,
      layer: "safe-binary",
      ruleId: "program.untrusted",
      sentence,
      own: false,
    },
  ];
}

function showsEnvironment({ span }: Call): Effect {
  const sentence = "Shows the environment";
  return {
    kind: "reads",
    risk: "safe",
    span,
    layer: "safe-binary",
    ruleId: "env.show",
    sentence,
    own: true,
    reliesOnJail: true,
  };
}

/** A function that calls itself twice, or in the background, fills the machine with processes. */
function judgeFork(identified: Identified, { item, call }: Setting): Effect[] {
  if (!item.frame.forks || !item.frame.functions.includes(identified.name)) return [];
  const sentence = "Matches dangerous pattern: fork bomb";
  const { span } = call;
  return [
    {
      kind: "process-control",
      risk: "dangerous",
      span,
      layer: "dangerous-pattern",
      ruleId: "fork-bomb",
      sentence,
      own: false,
      floor: true,
    },
  ];
}

/** Code that a substitution inside the words downloads. */
function judgeFed(call: Call, name: string): Effect[] {
  if (!call.fedByDownload || !INTERPRETERS.includes(name)) return [];
  const sentence = `Matches dangerous pattern: runs a download with ${name}`;
  const { span } = call;
  return [
    {
      kind: "executes",
      risk: "dangerous",
      span,
      layer: "dangerous-pattern",
      ruleId: "remote-code",
      sentence,
      own: false,
    },
  ];
}

/** After these bash may read or find anything differently; what they run is still shown to deny entries. */
function judgeRewrite(name: string, { draft, item, call }: Setting): Judged {
  const evaluates = name === "eval" || call.fedByDownload;
  markOpaque(draft, call.span, `Uses ${name}, after which the command can't be read with certainty`);
  const operands = item.words.slice(1).filter((word) => !/^-/.test(word.mask));
  const sentence = evaluates
    ? `Matches dangerous pattern: ${name} runs text as a command`
    : `Changes the shell with ${name}`;
  const risk = evaluates ? "dangerous" : "needs-review";
  const { span } = call;
  const effect: Effect = {
    kind: "obfuscation",
    risk,
    span,
    layer: "shell-syntax",
    ruleId: "shell.rewrites",
    sentence,
    own: false,
  };
  if (!TAKES_SCRIPT.includes(name)) return { effects: [effect] };
  const texts = name === "trap" ? operands.slice(0, 1) : operands;
  const script = texts.every((word) => word.literal !== null) ? texts.map((word) => word.literal).join(" ") : undefined;
  return { effects: [effect], ...(script === undefined ? {} : { script, scriptSpan: span }) };
}

/** `env -S` splits one word into a command by rules of its own: shown to deny entries, never trusted. */
function judgeSplitString({ draft, item, call }: Setting): Judged {
  markOpaque(draft, call.span, "Uses env -S, which takes a command apart by rules of its own");
  const text = item.words.find((word) => word.literal !== null && /\s/.test(word.literal))?.literal;
  const script = text?.replace(/^(-S|--split-string=)/, "");
  return { effects: [], ...(script === undefined ? {} : { script, scriptSpan: call.span }) };
}
