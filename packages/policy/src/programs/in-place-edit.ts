import { type Effect, isInsideAny, literalWord, type Word } from "../model/index.ts";
import { judgeWrite, type PathSite } from "../paths/index.ts";
import { judgeSensitiveOperands } from "./operands.ts";
import { programPieces } from "./tool-effects.ts";
import { findReadings } from "./tool-usage.ts";

const EDITORS: readonly string[] = ["sed", "gsed"];
/** Letters of sed that may stand before `i` in one word: none takes a value. */
const CLUSTER = /^-[bnrsuzE]*i(.*)$/s;
const LONG = /^--in-place(?:=(.*))?$/s;
/** With `/` or `*` in it the old file is kept elsewhere. */
const PLAIN_SUFFIX = /^[\w.~-]*$/;

interface Edit {
  /** What the editing does. What the script does isn't in it. */
  readonly effects: readonly Effect[];
  /** The same command, printing instead of editing: by these words its script is judged. */
  readonly words: readonly Word[];
}

/** What `sed -i` edits; undefined where nothing is edited in place, or it isn't certain what is. */
export function judgeEdit(name: string, words: readonly Word[], site: PathSite): Edit | undefined {
  const plain = EDITORS.includes(name) ? withoutInPlace(words) : undefined;
  if (plain === undefined) return undefined;
  const reading = findReadings(name, plain.words)?.find(({ parsed }) => parsed.unknown === undefined);
  if (reading === undefined) return undefined;
  const { parsed, usage } = reading;
  const files = parsed.operands.filter((word) => !programPieces(parsed, usage).includes(word));
  if (files.length === 0 || files.some(({ literal }) => literal === null)) return undefined;
  const effects = files.flatMap((file) => [...judgeEdited(file, site), ...plain.suffixes.flatMap(keepAs(file, site))]);
  return { effects: [...judgeSensitiveOperands(name, files, site), ...effects], words: plain.words };
}

function judgeEdited(file: Word, site: PathSite): Effect[] {
  return judgeWrite(file, site).map((effect) => {
    if (effect.ruleId !== "path.write" || effect.target === undefined) return effect;
    const within = isInsideAny(effect.target, site.machine.roots);
    const sentence = within ? `Edits ${file.text} in place` : `Edits ${effect.target} in place, outside the workspace`;
    return { ...effect, sentence };
  });
}

/** The file as it was is kept beside it. */
function keepAs(file: Word, site: PathSite): (suffix: string) => Effect[] {
  return (suffix) => {
    const text = `${file.literal}${suffix}`;
    return judgeWrite({ ...file, literal: text, mask: text, guess: text }, site);
  };
}

/** The words without those that ask for editing, and what is added to the names of files that are kept. */
function withoutInPlace(words: readonly Word[]): { words: Word[]; suffixes: string[] } | undefined {
  const rest: Word[] = [];
  const suffixes: string[] = [];
  let found = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as Word;
    const text = word.literal ?? "";
    const [, suffix] = CLUSTER.exec(text) ?? LONG.exec(text) ?? [];
    const edits = CLUSTER.test(text) || LONG.test(text);
    if (text === "--") return found ? { words: [...rest, ...words.slice(index)], suffixes } : undefined;
    if (!edits) {
      rest.push(word);
      // The next word is its value, whatever it looks like.
      const value = /^(?:-[bnrsuzE]*[el]|--expression|--line-length)$/.test(text) ? words[index + 1] : undefined;
      if (value !== undefined) rest.push(value);
      if (value !== undefined) index += 1;
      continue;
    }
    found = true;
    if (suffix !== undefined && !PLAIN_SUFFIX.test(suffix)) return undefined;
    if (suffix) suffixes.push(suffix);
    const letters = /^-([bnrsuzE]+)i/.exec(text)?.[1];
    if (letters !== undefined) rest.push(literalWord(`-${letters}`, word.span));
    // BSD takes the next word for the suffix, so people write an empty one; to GNU it's an empty script.
    if (suffix === "" && words[index + 1]?.literal === "") index += 1;
  }
  return found ? { words: rest, suffixes } : undefined;
}
