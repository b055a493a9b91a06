import type { Language } from "../catalog/tools/index.ts";
import { readText, type TextReading } from "../languages/index.ts";
import { type Effect, literalWord, makeEffect, type Word } from "../model/index.ts";
import { judgeRead, judgeWrite, type PathSite } from "../paths/index.ts";
import { programPieces } from "./tool-effects.ts";
import { findLanguage, findReadings } from "./tool-usage.ts";

interface JudgedText {
  readonly effects: readonly Effect[];
  /** The shell commands in it. */
  readonly script?: string;
}

/** Those of SQL are told by patterns: a statement doesn't run programs, and names no files. */
const READ: readonly Language[] = ["sed", "awk", "jq", "yq"];
const PLAIN_FILTER = /^(?:sort|uniq|head|tail|column|cat|wc|nl|tac|rev|date)(?: +[-+\w,.:]+| +1>&2)*$/;
const CONTENTS = { namesOnly: false, recursive: false };

/**
 * What the program text of a tool does, where the tables don't call its use harmless. None of it is the tool's own effect: an
 * entry for sed doesn't cover what a script for sed may run.
 */
export function judgeText(name: string, words: readonly Word[], site: PathSite): JudgedText {
  const language = findLanguage(name);
  if (language === undefined || !READ.includes(language)) return { effects: [] };
  const readings = findTexts(name, words)
    .map((text) => readText(language, text))
    // The worst that a filter can do is to show what it shouldn't, so one that isn't understood is the tool's own affair.
    .filter(({ problem }) => language === "sed" || language === "awk" || !problem?.endsWith("certainty"));
  const effects = readings.flatMap((reading) => describe(name, reading, { ...site, own: false }));
  const commands = readings.flatMap((reading) => reading.commands);
  return commands.length === 0 ? { effects } : { effects, script: commands.join("\n") };
}

function describe(name: string, reading: TextReading, site: PathSite): Effect[] {
  const { problem, writes, reads } = reading;
  const { span } = site;
  const effects = [
    ...writes.flatMap((path) => judgeWrite(literalWord(path, span), site)),
    ...reads.flatMap((path) => judgeRead(literalWord(path, span), CONTENTS, site)),
  ];
  const about = { kind: "executes", layer: "safe-binary" } as const;
  if (problem !== undefined) effects.push(makeEffect(span, { ...about, ruleId: "text.beyond", sentence: problem }));
  const sentence = `Matches dangerous pattern: ${name} runs another program`;
  const danger = { kind: "executes", risk: "dangerous", layer: "dangerous-pattern" } as const;
  return hidesProgram(reading)
    ? [...effects, makeEffect(span, { ...danger, ruleId: "text.runs-program", sentence })]
    : effects;
}

/** A program is looked for where programs stand; in a script for sed it hides. `print | "sort"` is how awk sorts. */
function hidesProgram({ commands, runsInput }: TextReading): boolean {
  return runsInput || commands.some((command) => !PLAIN_FILTER.test(command));
}

/** The words that are program text by the tables, or seem to be where an option isn't in them. */
function findTexts(name: string, words: readonly Word[]): readonly string[] {
  const known = findReadings(name, words)?.find(({ parsed }) => parsed.unknown === undefined);
  const pieces = known === undefined ? undefined : programPieces(known.parsed, known.usage);
  if (pieces === undefined) return guessTexts(words.flatMap((word) => word.literal ?? []));
  return pieces.length === 0 || pieces.some((word) => word.literal === null)
    ? []
    : [pieces.map((word) => word.literal).join("\n")];
}

/** The first that is no option, the values of `-e`, and whatever looks like no file name. */
function guessTexts(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !word.startsWith("-"));
  return words.flatMap((word, at) => {
    const attached = /^(?:-[A-Za-z]*e|--(?:expression|source)=)(.+)$/s.exec(word)?.[1];
    if (attached !== undefined) return [attached];
    const given = at === first || /^(?:-[A-Za-z]*e|--expression|--source)$/.test(words[at - 1] ?? "");
    return !word.startsWith("-") && (given || !/^[\w.@+/-]*$/.test(word)) ? [word] : [];
  });
}
