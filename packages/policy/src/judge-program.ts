import { type Call, type Draft, type Frame, noteHidden } from "./draft.ts";
import type { Effect, Span } from "./effect.ts";
import type { Identified } from "./identify-program.ts";
import { judgeBuiltin } from "./judge-builtin.ts";
import { judgeDangers, judgeKnownDangers } from "./judge-danger.ts";
import { FIND_NOT_IN_TABLE, judgeFind } from "./judge-find.ts";
import { judgeDownloadedCode, judgeForkBomb, judgeMixedName, judgeUntrusted } from "./judge-hazards.ts";
import { judgeSensitiveOperands } from "./judge-operands.ts";
import { judgeRead } from "./judge-path.ts";
import { judgePlaces } from "./judge-places.ts";
import { judgeSplitString } from "./judge-rewrite.ts";
import { judgeShell } from "./judge-shell.ts";
import { judgeTest, TEST_UNCLEAR } from "./judge-test.ts";
import { judgeText } from "./judge-text.ts";
import { judgeTool, NOT_IN_TABLE } from "./judge-tool.ts";
import { judgeUnknown } from "./judge-unknown.ts";
import { tellsVersion } from "./judge-version.ts";
import { makeEffect } from "./make-effect.ts";
import type { PathSite } from "./path-effect.ts";
import type { WordReading } from "./read-word.ts";
import { PYTHON_MODULES, SHELLS } from "./tables/programs.ts";
import { unwrap } from "./unwrap.ts";

/** Shell text found in a command's words. */
export interface InnerScript {
  readonly text: string;
  readonly span: Span;
  /** It runs in a shell of its own: one that isn't bash is foreign. `positional` are the words that it is given. */
  readonly child?: { readonly foreign: boolean; readonly positional?: readonly WordReading[] };
}

/** What judging one program found: its effects, and what it runs in turn. */
export interface Judged {
  readonly effects: readonly Effect[];
  readonly inner?: readonly (readonly WordReading[])[];
  readonly runsBuiltins?: boolean;
  /** What it runs, runs in another directory. */
  readonly elsewhere?: boolean;
  readonly scripts?: readonly InnerScript[];
  /** The effects say all that it does. */
  readonly described?: boolean;
}

export interface Setting {
  readonly draft: Draft;
  readonly frame: Frame;
  /** All words of this command, its name first. */
  readonly words: readonly WordReading[];
  readonly call: Call;
  readonly site: PathSite;
}

/** One program with its words: the first of the stages that knows it speaks; hazards are added to whatever it says. */
export function judgeProgram(identified: Identified, setting: Setting): Judged {
  const judged =
    judgeBuiltin(identified, setting) ??
    judgeVersion(identified, setting) ??
    judgeRunner(identified, setting) ??
    judgeOrdinary(identified, setting);
  const hazards = [
    ...judgeMixedName(identified, setting.call),
    ...judgeForkBomb(identified, setting.frame, setting.call),
  ];
  return hazards.length === 0 ? judged : { ...judged, effects: [...hazards, ...judged.effects] };
}

function judgeVersion({ name, program }: Identified, { words }: Setting): Judged | undefined {
  return program !== undefined && tellsVersion(name, words.slice(1)) ? { effects: [], described: true } : undefined;
}

/** Programs that run other programs: wrappers, shells, find. */
function judgeRunner(identified: Identified, setting: Setting): Judged | undefined {
  const { words, call, site } = setting;
  const { name } = identified;
  const operands = words.slice(1);
  const untrusted = judgeUntrusted(identified, call);
  if (name === "env" && operands.some((word) => /^(-S|--s)/.test(word.mask))) return judgeSplitString(setting);
  if (name === "env" && operands.length === 0) return { effects: [...untrusted, showsEnvironment(call)] };
  const wrapped = unwrap(name, words, call.span);
  if (wrapped !== undefined && (wrapped.inner.length > 0 || wrapped.effects.length > 0)) {
    const reads = wrapped.reads.flatMap((word) => judgeRead(word, { namesOnly: false, recursive: false }, site));
    const dangers = judgeDangers(name, operands, { site, stdin: call.stdin });
    const effects = [...untrusted, ...dangers, ...wrapped.effects, ...reads];
    return { effects, inner: [wrapped.inner], runsBuiltins: wrapped.runsBuiltins };
  }
  if (SHELLS.includes(name)) {
    const judged = judgeShell({
      name,
      words: operands,
      span: call.span,
      ...(call.stdin === undefined ? {} : { stdin: call.stdin }),
    });
    const places = judged.scripts === undefined ? judgeGiven(name, operands, site) : [];
    return { ...judged, effects: [...untrusted, ...judged.effects, ...places, ...judgeDownloadedCode(name, call)] };
  }
  if (name !== "find" || identified.program === undefined) return undefined;
  const dangers = judgeDangers(name, operands, { site, stdin: call.stdin });
  const { effects, inner, elsewhere } = judgeFind(operands, site);
  // A pattern says better what an action does than that the tables don't know it.
  const rest = dangers.length > 0 ? effects.filter((effect) => effect.ruleId !== FIND_NOT_IN_TABLE) : effects;
  return { effects: [...dangers, ...rest], inner, elsewhere };
}

/** Programs that do their own work, with a table or without. */
function judgeOrdinary(identified: Identified, { draft, words, call, site }: Setting): Judged {
  const { program } = identified;
  const { name, operands } = takeModule(identified.name, words.slice(1));
  if (program !== undefined && (name === "test" || name === "[")) {
    const effects = judgeTest(name, operands, site);
    const unclear = effects.some((effect) => effect.ruleId === TEST_UNCLEAR);
    if (unclear) for (const { literal, span } of operands) noteHidden(draft, literal ?? "", span);
    return { effects, described: true };
  }
  const known = program === undefined ? undefined : judgeTool(name, operands, site);
  const beyond = known?.find((effect) => effect.ruleId === NOT_IN_TABLE);
  if (known !== undefined && beyond === undefined)
    return { effects: [...judgeKnownDangers(name, operands, { site, stdin: call.stdin }), ...known], described: true };
  const dangers = judgeDangers(name, operands, { site, stdin: call.stdin });
  const text = program === undefined ? { effects: [] } : judgeText(name, operands, site);
  const sensitive = judgeSensitiveOperands(name, operands, site);
  const described = dangers.some((effect) => effect.own);
  const unknown = judgeUnknown(identified, operands, { site, described, ...(beyond === undefined ? {} : { beyond }) });
  return {
    ...text,
    effects: [...dangers, ...text.effects, ...sensitive, ...unknown, ...judgeDownloadedCode(name, call)],
  };
}

/** `python -m pip list` is `pip list`. */
function takeModule(name: string, operands: readonly WordReading[]) {
  const module = /^python[\d.]*$/.test(name) && operands[0]?.literal === "-m" ? operands[1]?.literal : undefined;
  return module && PYTHON_MODULES.includes(module) ? { name: module, operands: operands.slice(2) } : { name, operands };
}

/** What a program whose doings aren't known is given to work on. */
function judgeGiven(name: string, words: readonly WordReading[], site: PathSite): Effect[] {
  return [...judgeSensitiveOperands(name, words, site), ...judgePlaces(name, words, site)];
}

function showsEnvironment({ span }: Call): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return makeEffect(span, { ...about, ruleId: "env.show", sentence: "Shows the environment" });
}
