import { type Effect, isInsideAny, literalWord, type Word } from "../model/index.ts";
import { judgeWrite, type PathSite } from "../paths/index.ts";
import { judgeSensitiveOperands } from "./operands.ts";
import { programPieces } from "./tool-effects.ts";
import { findReadings } from "./tool-usage.ts";

const EDITORS: readonly string[] = ["sed", "gsed"];
/** sed's letters before `i` in one word: none takes a value. */
const CLUSTER = /^-[bnrsuzE]*i(.*)$/s;
const LONG = /^--in-place(?:=(.*))?$/s;
/** A suffix with `/` or `*` names a file elsewhere. */
const PLAIN_SUFFIX = /^[\w.~-]*$/;

interface Edit {
  /** Effects of editing, without those of the script. */
  readonly effects: readonly Effect[];
  /** The command without in-place editing, by which its script is judged. */
  readonly words: readonly Word[];
}

/** Returns what `sed -i` edits; undefined if nothing is edited in place or the files aren't certain. */
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

/** Returns the effects of keeping a copy of the old file. */
function keepAs(file: Word, site: PathSite): (suffix: string) => Effect[] {
  return (suffix) => {
    const text = `${file.literal}${suffix}`;
    return judgeWrite({ ...file, literal: text, mask: text, guess: text }, site);
  };
}

/** Returns the words without in-place options, and the suffixes of kept copies. */
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
      // The next word is its value in any case.
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
    // BSD takes the next word as the suffix, so people write an empty one; GNU takes it as an empty script.
    if (suffix === "" && words[index + 1]?.literal === "") index += 1;
  }
  return found ? { words: rest, suffixes } : undefined;
}
