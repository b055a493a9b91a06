import type { ParameterExpansionPart, ParameterOperation, Word as WordNode, WordPart } from "unbash";
import { literalWord, MAX_VALUE_LENGTH, textOf, type Word } from "../model/index.ts";
import { calculates } from "./arithmetic.ts";
import type { Knowledge } from "./state.ts";
import { assumeGuess, type Expansion, lookUp, NUMBER, OPEN } from "./variables.ts";

const OTHER: Expansion = { shape: "other" };

type ReadInner = (word: WordNode) => Word;
type ReadText = (word: WordNode) => Expansion;

/** Expands `${…}`; `read` reads the words inside it. */
export function readParameter(part: ParameterExpansionPart, knowledge: Knowledge, read: ReadInner): Expansion {
  const { parameter, prefix, index, operation } = part;
  const listed = index !== undefined && /^[@*]$/.test(index.text);
  // `${!a[@]}` lists subscripts; bash evaluates any other `${!x}`.
  if (prefix === "!") return listed && operation === undefined ? { ...OPEN, many: true } : OTHER;
  if (index !== undefined && !listed && !/^\d+$/.test(index.text)) return OTHER;
  if (prefix === "#") return operation === undefined ? NUMBER : OTHER;
  const base = index === undefined ? lookUp(parameter, knowledge) : lookUpElement(parameter, index.text, knowledge);
  if (operation === undefined) return base;
  const found =
    operation.type === "Slice"
      ? slice(base, operation, knowledge)
      : operate(base, operation, (word) => readText(read(word), knowledge.home));
  return found.shape === "other" ? found : assumeGuess(base.many ? { ...found, many: true } : found, knowledge);
}

function lookUpElement(name: string, index: string, knowledge: Knowledge): Expansion {
  const value = knowledge.shell.variables.get(name);
  const guess = (value?.elements ?? value?.guessedElements)?.[Number(index)];
  if (guess === undefined) return { ...OPEN, many: !/^\d+$/.test(index) };
  knowledge.tries = Math.max(knowledge.tries, 1);
  return assumeGuess({ ...OPEN, guess }, knowledge);
}

/** Returns the words of `"$@"` or `"${a[@]}"` if they are known and nothing else is in the word. */
export function readList(parts: readonly WordPart[], knowledge: Knowledge): readonly Word[] | undefined {
  const [only, second] = parts;
  const quoted = only?.type === "DoubleQuoted";
  const part = quoted && only.parts.length === 1 ? only.parts[0] : only;
  if (part === undefined || second !== undefined) return undefined;
  const list = listOf(part, knowledge);
  // Without quotes each element is split and globbed.
  const splits = quoted || !knowledge.shell.variables.has("IFS");
  const plain =
    quoted || list?.every(({ literal, tilde }) => !tilde && literal !== null && /^[^\s*?[\\]+$/.test(literal));
  return plain && splits ? list : undefined;
}

function listOf(part: WordPart, { shell, suspect }: Knowledge): readonly Word[] | undefined {
  if (part.type === "SimpleExpansion") {
    return part.text === "$@" && shell.positional?.open === false ? shell.positional.words : undefined;
  }
  if (part.type !== "ParameterExpansion" || part.index?.text !== "@") return undefined;
  if (part.prefix !== undefined || part.operation !== undefined) return undefined;
  const value = shell.variables.get(part.parameter);
  const elements = value?.elements ?? (suspect === undefined ? undefined : value?.guessedElements);
  return elements?.map((text) => literalWord(text, part));
}

function operate(base: Expansion, operation: ParameterOperation, read: ReadText): Expansion {
  switch (operation.type) {
    case "Default":
      return operateDefault(base, operation, read);
    case "Remove": {
      const pattern = read(operation.operand);
      if (pattern === OTHER) return OTHER;
      return withGuess(base.guess, pattern.known, (text, affix) => removeAffix(text, affix, operation.operator));
    }
    case "Replace": {
      const pattern = read(operation.pattern);
      const replacement = read(operation.replacement);
      if (pattern === OTHER || replacement === OTHER) return OTHER;
      const { known = "" } = replacement;
      // A replacement may multiply the length: stop at the length that a value may have.
      if ((base.guess?.length ?? 0) * known.length > MAX_VALUE_LENGTH) return OPEN;
      return withGuess(base.guess, pattern.known, (text, wanted) =>
        operation.operator === "//" ? text.replaceAll(wanted, () => known) : text.replace(wanted, () => known),
      );
    }
    case "CaseModification": {
      if (operation.operand !== undefined && read(operation.operand) === OTHER) return OTHER;
      return withGuess(base.guess, "", (text) => changeCase(text, operation.operator));
    }
    case "Transform":
      return /^[QULu]$/.test(operation.operand.text) ? OPEN : OTHER;
    default:
      return OTHER;
  }
}

/** Takes a slice. Offset and length are arithmetic; a negative length may fail. */
function slice(
  base: Expansion,
  { offset, length }: Extract<ParameterOperation, { type: "Slice" }>,
  knowledge: Knowledge,
): Expansion {
  const [from, to] = [offset.text, length?.text ?? ""].map((text) => text.replace(/^ ?\(?(-?\d{1,9})\)?$/, "$1"));
  const isNumber = (text: string | undefined) => /^-?\d+$/.test(text ?? "");
  if (!isNumber(from) && !calculates(offset.text, knowledge)) return OTHER;
  if (length !== undefined && !isNumber(to) && !calculates(length.text, knowledge)) return OTHER;
  if (length !== undefined && !/^\d+$/.test(to ?? "")) knowledge.shell.fragile = true;
  if (!isNumber(from) || (length !== undefined && !/^\d+$/.test(to ?? ""))) return OPEN;
  return withGuess(base.guess, "", (text) => {
    const rest = text.slice(Number(from));
    return length === undefined ? rest : rest.slice(0, Number(to));
  });
}

function operateDefault(
  base: Expansion,
  { operator, operand }: Extract<ParameterOperation, { type: "Default" }>,
  read: ReadText,
): Expansion {
  const word = read(operand);
  // `=` assigns and `?` may end the shell.
  if (word === OTHER || !/^:?[-+]$/.test(operator)) return OTHER;
  if (operator.endsWith("-") && base.known !== undefined && base.known !== "") return base;
  const guess = operator.endsWith("-") ? (base.guess ?? word.known) : word.known;
  return { ...OPEN, ...(guess === undefined ? {} : { guess }) };
}

/** Reads a word inside an expansion: a pattern or a text. */
function readText(word: Word, home: string): Expansion {
  if (word.shape === "other") return OTHER;
  const { known } = textOf(word, home);
  return known === undefined ? OPEN : { shape: "literal", known };
}

function withGuess(
  guess: string | undefined,
  pattern: string | undefined,
  apply: (text: string, pattern: string) => string,
): Expansion {
  return guess === undefined || pattern === undefined ? OPEN : { ...OPEN, guess: apply(guess, pattern) };
}

function removeAffix(text: string, affix: string, operator: string): string {
  if (operator.startsWith("#")) return text.startsWith(affix) ? text.slice(affix.length) : text;
  return text.endsWith(affix) ? text.slice(0, text.length - affix.length) : text;
}

function changeCase(text: string, operator: string): string {
  const change = operator.startsWith("^") ? "toUpperCase" : "toLowerCase";
  return operator.length === 2 ? text[change]() : text.slice(0, 1)[change]() + text.slice(1);
}
