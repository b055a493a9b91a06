import type { Language } from "../catalog/tools/index.ts";
import { readText, type TextReading } from "../languages/index.ts";
import { type Effect, literalWord, makeEffect, type Word } from "../model/index.ts";
import { judgeRead, judgeWrite, type PathSite } from "../paths/index.ts";
import { programPieces } from "./tool-effects.ts";
import { findLanguage, findReadings } from "./tool-usage.ts";

interface JudgedText {
  readonly effects: readonly Effect[];
  /** Shell commands in the text. */
  readonly script?: string;
}

/**
 * Languages that are parsed here. SQL is judged by patterns, because a statement neither runs programs nor names files.
 */
const READ: readonly Language[] = ["sed", "awk", "jq", "yq"];
const PLAIN_FILTER = /^(?:sort|uniq|head|tail|column|cat|wc|nl|tac|rev|date)(?: +[-+\w,.:]+| +1>&2)*$/;
const CONTENTS = { namesOnly: false, recursive: false };

/**
 * Returns what a tool's program text does, if the catalogue doesn't call the use harmless. No effect is the tool's own:
 * an entry for sed doesn't cover what a script for sed runs.
 */
export function judgeText(name: string, words: readonly Word[], site: PathSite): JudgedText {
  const language = findLanguage(name);
  if (language === undefined || !READ.includes(language)) return { effects: [] };
  const readings = findTexts(name, words)
    .map((text) => readText(language, text))
    // A filter can at worst show text, so an unparsed one is only the tool's own effect.
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

/**
 * Reports whether the text hides a program. Nobody looks for one in a sed script; `print | "sort"` is how awk sorts.
 */
function hidesProgram({ commands, runsInput }: TextReading): boolean {
  return runsInput || commands.some((command) => !PLAIN_FILTER.test(command));
}

/** Returns the words that are program text, by the catalogue or, with an unknown option, by their look. */
function findTexts(name: string, words: readonly Word[]): readonly string[] {
  const known = findReadings(name, words)?.find(({ parsed }) => parsed.unknown === undefined);
  const pieces = known === undefined ? undefined : programPieces(known.parsed, known.usage);
  if (pieces === undefined) return guessTexts(words.flatMap((word) => word.literal ?? []));
  return pieces.length === 0 || pieces.some((word) => word.literal === null)
    ? []
    : [pieces.map((word) => word.literal).join("\n")];
}

/** Returns the first operand, the values of `-e`, and any word that doesn't look like a file name. */
function guessTexts(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !word.startsWith("-"));
  return words.flatMap((word, at) => {
    const attached = /^(?:-[A-Za-z]*e|--(?:expression|source)=)(.+)$/s.exec(word)?.[1];
    if (attached !== undefined) return [attached];
    const given = at === first || /^(?:-[A-Za-z]*e|--expression|--source)$/.test(words[at - 1] ?? "");
    return !word.startsWith("-") && (given || !/^[\w.@+/-]*$/.test(word)) ? [word] : [];
  });
}
