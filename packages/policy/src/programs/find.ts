import { FIND_EXEC, FIND_FILE, FIND_FOLLOWS, FIND_PLAIN, FIND_VALUE } from "../catalog/index.ts";
import { type Effect, literalWord, makeEffect, type Span, type Word } from "../model/index.ts";
import { judgeRead, type PathSite, relyOnJail } from "../paths/index.ts";
import { fillIn } from "../shell/index.ts";

interface JudgedFind {
  readonly effects: readonly Effect[];
  /** Commands of `-exec`, with unknown words for the found names. */
  readonly inner: readonly (readonly Word[])[];
  /** One of them runs in the found directories. */
  readonly elsewhere: boolean;
  readonly starts: readonly Word[];
}

export const FIND_NOT_IN_TABLE = "find.not-in-table";
const NAMES = { namesOnly: true, recursive: true };

export function judgeFind(words: readonly Word[], site: PathSite): JudgedFind {
  let next = 0;
  while (/^-([HLP]|O\d)$/.test(words[next]?.literal ?? "")) next += 1;
  const starts: Word[] = [];
  for (let word = words[next]; word !== undefined && isStart(word); word = words[++next]) starts.push(word);
  const effects = (starts.length > 0 ? starts : [literalWord(".", site.span)]).flatMap((word) =>
    judgeRead(word, NAMES, site),
  );
  // Found names begin with the starting point, which has no dash unless it comes from a list.
  const readsList = words.some((word) => word.literal === "-f" || word.literal === "-files0-from");
  const inner: (readonly Word[])[] = [];
  while (next < words.length) {
    const word = words[next] as Word;
    next += 1;
    const literal = word.literal ?? "";
    if (FIND_PLAIN.includes(literal)) continue;
    if (FIND_EXEC.includes(literal)) {
      const end = findEnd(words, next);
      const paths = !literal.endsWith("dir") && !readsList;
      inner.push(fillIn(words.slice(next, end), "{}", { span: site.span, paths }));
      next = end + 1;
    } else if (FIND_VALUE.includes(literal) && isValue(words[next])) {
      effects.push(...judgeValue(words[next] as Word, site.span));
      next += 1;
    } else if (FIND_FILE.includes(literal) && isValue(words[next])) {
      effects.push(...judgeRead(words[next] as Word, NAMES, site));
      next += 1;
    } else effects.push(unknown(word.text, site.span));
  }
  const elsewhere = words.some((word) => word.literal === "-execdir" || word.literal === "-okdir");
  const follows = words.some((word) => FIND_FOLLOWS.includes(word.literal ?? ""));
  return { effects: follows ? effects.map(relyOnJail) : effects, inner, elsewhere, starts };
}

/** Reports whether the word is a starting point: the expression begins with the first word that may be part of one. */
function isStart(word: Word): boolean {
  return !/^[-(!,]/.test(word.mask) && !word.mask.startsWith("\0");
}

function isValue(word: Word | undefined): boolean {
  return word?.single === true && word.shape !== "other";
}

/** Returns the effect of `-printf "$x"`, which shows the variable's value. */
function judgeValue(word: Word, span: Span): Effect[] {
  if (word.literal !== null) return [];
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", ruleId: "find.open", reliesOnJail: true } as const;
  return [makeEffect(span, { ...about, sentence: `Passes the value of ${word.text} to find` })];
}

function findEnd(words: readonly Word[], from: number): number {
  for (let index = from; index < words.length; index += 1) {
    if (words[index]?.literal === ";") return index;
    if (words[index]?.literal === "+" && words[index - 1]?.literal === "{}") return index;
  }
  return words.length;
}

function unknown(text: string, span: Span): Effect {
  const sentence = `Uses find ${text}, which isn't in the catalogue`;
  return makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId: FIND_NOT_IN_TABLE, sentence, own: true });
}
