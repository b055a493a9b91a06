import { SHELLS } from "../catalog/index.ts";
import { changeDirectory } from "../expressions/index.ts";
import { type Effect, isInsideAny, makeEffect, type WordReading } from "../model/index.ts";
import { judgeRead, type PathSite } from "../paths/index.ts";
import { FIND_NOT_IN_TABLE, judgeFind } from "../programs/index.ts";
import { type Call, type Frame, unwrap } from "../shell/index.ts";
import { type Identified, judgeDangers, judgePlaces, judgeSensitiveOperands } from "../tools/index.ts";
import { judgeDownloadedCode, judgeMadeUpCode, judgeUntrusted } from "./judge-hazards.ts";
import type { Judged, Setting } from "./judge-program.ts";
import { judgeSplitString } from "./judge-rewrite.ts";
import { judgeShell } from "./judge-shell.ts";

/** Programs that run other programs: wrappers, shells, find. */
export function judgeRunner(identified: Identified, setting: Setting): Judged | undefined {
  const { words, call } = setting;
  const { name } = identified;
  if (name === "env" && words.some((word) => /^(-[0iv]*S|--s)/.test(word.mask))) return judgeSplitString(setting);
  if (name === "env" && words.length === 1)
    return { effects: [...judgeUntrusted(identified, call), showsEnvironment(call)] };
  if (SHELLS.includes(name)) return judgeShellCall(identified, setting);
  if (name === "find" && identified.program !== undefined) return judgeSearch(setting);
  return judgeWrapper(identified, setting);
}

function judgeWrapper(identified: Identified, { words, operands, frame, call, site }: Setting): Judged | undefined {
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

function judgeShellCall(identified: Identified, { draft, operands, call, site }: Setting): Judged {
  const { name } = identified;
  const stdin = call.stdin === undefined ? {} : { stdin: call.stdin };
  const judged = judgeShell({ name, words: operands, span: call.span, ...stdin });
  // A script's words are what it is given to work on.
  const given = [...judgeSensitiveOperands(name, operands, site), ...judgePlaces(name, operands, site)];
  // Its code, not a word that the code is given.
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
 * `bash -l` reads /etc/profile and a profile in the home first. Those are the user's own, which only a question lets an agent
 * change; in a home that is the workspace any run may.
 */
function judgeLogin(operands: readonly WordReading[], { context, span }: PathSite): Effect[] {
  const login = operands.some(({ literal }) => /^(?:-[a-z]*l[a-z]*|--login)$/.test(literal ?? ""));
  if (!login || !isInsideAny(context.home, context.roots)) return [];
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return [makeEffect(span, { ...about, ruleId: "shell.login", sentence: "Runs the profile in this workspace first" })];
}

function judgeSearch({ operands, frame, call, site }: Setting): Judged {
  const dangers = judgeDangers("find", operands, { site, stdin: call.stdin });
  const { effects, inner, elsewhere } = judgeFind(operands, site);
  // A pattern says better what an action does than that the tables don't know it.
  const rest = dangers.length > 0 ? effects.filter((effect) => effect.ruleId !== FIND_NOT_IN_TABLE) : effects;
  const directory = elsewhere ? { directory: { path: frame.directory.path, certain: false } } : {};
  return { effects: [...dangers, ...rest], inner, sweeps: true, ...directory };
}

/** Where a command runs that is told to run elsewhere: as after a `cd` that only it knows of. */
function moveTo(word: WordReading, frame: Frame, site: PathSite) {
  const directory = { ...frame.directory };
  const effects = changeDirectory([word], { ...frame, directory }, { ...site, directory });
  return { effects, directory };
}

function showsEnvironment({ span }: Call): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return makeEffect(span, { ...about, ruleId: "env.show", sentence: "Shows the environment" });
}
