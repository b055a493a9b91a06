import { INTERPRETERS, PYTHON_MODULES } from "../catalog/index.ts";
import { judgeLeaks } from "../data-flow/index.ts";
import { type Effect, literalWord, makeEffect, type Word } from "../model/index.ts";
import { mixesAlphabets, readAsLatin } from "../parse/index.ts";
import type { PathSite } from "../paths/index.ts";
import {
  type Identified,
  judgeDangers,
  judgeEdit,
  judgeKnownDangers,
  judgeSensitiveOperands,
  judgeText,
  judgeTool,
  judgeUnknown,
  judgeVersion,
  LOADS,
  NOT_IN_TABLE,
} from "../programs/index.ts";
import { type Call, type Carried, findCarried, noteHidden } from "../shell/index.ts";
import { judgeBuiltin } from "./builtins.ts";
import { judgeDownloadedCode, judgeForkBomb, judgeMadeUpCode, judgeMixedName, judgeSweep } from "./hazards.ts";
import type { Invocation, Judged } from "./invocation.ts";
import { judgeRunner } from "./runners.ts";
import { judgeTest, TEST_UNCLEAR } from "./test-expression.ts";

/**
 * Judges one program with its words. The first stage that knows the program decides; hazards are added to any result.
 */
export function judgeProgram(identified: Identified, invocation: Invocation): Judged {
  const builtin = judgeBuiltin(identified, invocation);
  const judged =
    builtin ??
    judgeVersionQuery(identified, invocation) ??
    judgeRunner(identified, invocation) ??
    judgeOrdinary(identified, invocation);
  const { call, frame, operands, site } = invocation;
  const hazards = [
    ...judgeMixedName(identified, call),
    ...judgeForkBomb(identified, frame, call),
    ...judgeSweep(identified, frame, invocation),
    ...judgeLeaks(identified.name, operands, call),
    ...(builtin === undefined ? [] : judgeDangers(identified.name, operands, { site })),
  ];
  const carried = [
    ...withInput(findCarried(identified.name, operands, call.stdin), call),
    ...lookalikes(identified, invocation.words),
  ];
  if (hazards.length === 0 && carried.length === 0) return judged;
  return { ...judged, effects: [...hazards, ...judged.effects], ...(carried.length === 0 ? {} : { carried }) };
}

function judgeVersionQuery(identified: Identified, { operands, site }: Invocation): Judged | undefined {
  const effects = judgeVersion(identified, operands, site);
  return effects && { effects, described: true };
}

/** Judges a program that runs no other, with or without an entry in the catalogue. */
function judgeOrdinary(identified: Identified, invocation: Invocation): Judged {
  const { draft, call, site } = invocation;
  const { program } = identified;
  const { name, operands } = takeModule(identified.name, invocation.operands);
  if (program !== undefined && (name === "test" || name === "[")) {
    const effects = judgeTest(name, operands, site);
    const unclear = effects.some((effect) => effect.ruleId === TEST_UNCLEAR);
    if (unclear) for (const { literal, span } of operands) noteHidden(draft, literal ?? "", span);
    return { effects, described: true };
  }
  const edit = program === undefined ? undefined : judgeEdit(name, operands, site);
  const known = program === undefined ? undefined : judgeTool(name, edit?.words ?? operands, site);
  const beyond = known?.find((effect) => effect.ruleId === NOT_IN_TABLE);
  if (known !== undefined && beyond === undefined) {
    const grave = judgeKnownDangers(name, operands, { site, stdin: call.stdin });
    const module = name === identified.name ? [] : judgeModule(name, known, site);
    return { effects: [...grave, ...(edit?.effects ?? known), ...module], described: true };
  }
  const dangers = judgeDangers(name, operands, { site, stdin: call.stdin });
  const text = program === undefined ? { effects: [] } : judgeText(name, operands, site);
  const sensitive = judgeSensitiveOperands(name, operands, site);
  const decoded = INTERPRETERS.includes(name) && takesOpenCode(operands) ? judgeMadeUpCode(name, call) : [];
  const described = dangers.some((effect) => effect.own);
  const unknown = judgeUnknown(identified, operands, { site, described, ...(beyond === undefined ? {} : { beyond }) });
  return {
    ...text,
    effects: [
      ...dangers,
      ...(edit?.effects ?? []),
      ...text.effects,
      ...sensitive,
      ...unknown,
      ...judgeDownloadedCode(name, invocation),
      ...decoded,
    ],
  };
}

/** Returns the command that a lookalike name imitates, such as `ѕudo` with a Cyrillic letter. */
function lookalikes({ name }: Identified, words: readonly Word[]): Carried[] {
  const [head] = words;
  if (head === undefined || !mixesAlphabets(name)) return [];
  return [{ words: [literalWord(readAsLatin(name), head.span), ...words.slice(1)], sweeps: false }];
}

/** Adds the input of a carried shell: `ssh host sh <<EOF` runs it. */
function withInput(carried: readonly Carried[], { stdin }: Call): readonly Carried[] {
  if (stdin === undefined) return carried;
  const shell = carried.find(({ text, words }) => /^(ba|z|da|k)?sh\b/.test(text ?? words?.[0]?.literal ?? ""));
  return shell === undefined ? carried : [...carried, { ...shell, words: [], text: stdin }];
}

/** Reports whether inline code isn't literal, as in `python -c "$x"`. */
function takesOpenCode(words: readonly Word[]): boolean {
  return words.some(
    (word, at) => word.literal === null && /^(-[a-z]*[cer]|--eval)$/.test(words[at - 1]?.literal ?? ""),
  );
}

/** Returns an effect for a module, because Python searches the current directory first. */
function judgeModule(name: string, known: readonly Effect[], site: PathSite): Effect[] {
  if (known.some(({ ruleId }) => ruleId === LOADS)) return [];
  const sentence = `Runs the python module ${name}, which the directory may hold itself`;
  const about = { kind: "reads", risk: "safe", ruleId: LOADS, own: true, reliesOnJail: true } as const;
  return [makeEffect(site.span, { ...about, layer: site.layer, sentence })];
}

/** Reads `python -m pip list` as `pip list`. */
function takeModule(name: string, operands: readonly Word[]) {
  const module = /^python[\d.]*$/.test(name) && operands[0]?.literal === "-m" ? operands[1]?.literal : undefined;
  return module && PYTHON_MODULES.includes(module) ? { name: module, operands: operands.slice(2) } : { name, operands };
}
