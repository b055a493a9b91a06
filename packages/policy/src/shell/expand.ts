import type { Word as WordNode, WordPart } from "unbash";
import {
  literalWord,
  MAX_COMMAND_LENGTH,
  MAX_WORDS,
  type Span,
  WILD,
  type Word,
  type WordShape,
  worse,
} from "../model/index.ts";
import { expandBraces } from "../parse/index.ts";
import { calculates, printsNumber, withoutNumbers } from "./arithmetic.ts";
import { readList, readParameter } from "./parameter.ts";
import type { Knowledge } from "./state.ts";
import { type Expansion, lookUp } from "./variables.ts";

/** Expands a word that bash doesn't split: a redirect's target, an operand of `[[`. */
export function readWord(word: WordNode, span: Span, knowledge: Knowledge): Word {
  if (word.parts === undefined) return readPlain(word, span);
  const reader = new FieldReader(knowledge, { splits: false, globs: true });
  reader.readAll(word.parts);
  return complete(word, reader.finish()[0] ?? newField(), { span, tilde: word.text.startsWith("~") });
}

/** Expands an assigned value: bash neither splits nor globs it, and expands only a leading `~`. */
export function readAssigned(word: WordNode, span: Span, knowledge: Knowledge): Word {
  if (word.parts === undefined) return doubtTilde(readPlain(word, span));
  const reader = new FieldReader(knowledge, { splits: false, globs: false });
  reader.readAll(word.parts);
  return doubtTilde(complete(word, reader.finish()[0] ?? newField(), { span, tilde: word.text.startsWith("~") }));
}

/** Expands the text of a here-document, in which quotes are literal. */
export function readText(parts: readonly WordPart[], knowledge: Knowledge): Pick<Word, "shape" | "literal"> {
  const reader = new FieldReader(knowledge, { splits: false, globs: false });
  reader.readAll(parts);
  const { shape, mask } = reader.finish()[0] ?? newField();
  return { shape, literal: shape === "literal" ? mask : null };
}

/** Expands a word of a command or list into the words that bash makes of it. `findNested` finds its substitutions. */
export function readFields(word: WordNode, span: Span, knowledge: Knowledge): readonly Word[] {
  const { parts } = word;
  if (parts === undefined) return [readPlain(word, span)];
  const list = readList(parts, knowledge);
  if (list !== undefined) return list.map((one) => ({ ...one, span, text: word.text, indirect: true }));
  if (!parts.some((part) => part.type === "BraceExpansion")) return readParts(word, parts, { span, knowledge });
  const words = expandBraces(parts);
  if (words === undefined) return [{ ...literalWord(word.text, span), literal: null, shape: "other", single: false }];
  return words.flatMap((one) =>
    readParts(word, one, { span, knowledge }).map((field) => ({ ...field, indirect: true })),
  );
}

function readParts(
  word: WordNode,
  parts: readonly WordPart[],
  { span, knowledge }: { span: Span; knowledge: Knowledge },
): readonly Word[] {
  const reader = new FieldReader(knowledge, { splits: true, globs: true });
  reader.readAll(parts);
  const tilde = parts[0]?.type === "Literal" && parts[0].text.startsWith("~");
  return reader.finish().map((field, index) => complete(word, field, { span, tilde: tilde && index === 0 }));
}

interface Field {
  mask: string;
  guess: string;
  shape: WordShape;
  single: boolean;
  indirect: boolean;
  /** Number of parts, and whether each was a number. */
  parts: number;
  numbers: boolean;
}

function newField(): Field {
  return { mask: "", guess: "", shape: "literal", single: true, indirect: false, parts: 0, numbers: true };
}

function complete(word: WordNode, field: Field, { span, tilde }: { span: Span; tilde: boolean }): Word {
  const { mask, guess, single } = field;
  let { shape } = field;
  // A trailing backslash waits for a line that never comes.
  if (endsEscaped(word.text) || mask.length > MAX_COMMAND_LENGTH) shape = "other";
  if (hidesTilde(word.text)) shape = worse(shape, "variable");
  const literal = shape === "literal" && !mask.includes(WILD) ? mask : null;
  const number = field.numbers && field.parts === 1;
  const { indirect } = field;
  return { span, shape, literal, mask, guess, tilde, single, text: word.text, number, indirect, isPath: false };
}

/**
 * Reads a word that the parser gave no parts because it has neither quotes nor expansions. Safety depends on that, so
 * it is checked again.
 */
function readPlain(word: WordNode, span: Span): Word {
  const { text, value } = word;
  const simple = /^[\w./:@%+,-]+$/.test(text);
  const plain: Word = {
    span,
    shape: "literal",
    literal: value,
    mask: value,
    guess: value,
    tilde: text.startsWith("~"),
    single: true,
    text,
    number: simple && isNumber(value),
    indirect: false,
    isPath: false,
  };
  if (simple) return plain;
  const unescaped = text.replace(/\\[\s\S]/g, "");
  // Every test must be linear: a pattern such as {.*,.*} would take hours on a hostile word.
  const bracketed = unescaped.includes("[") && unescaped.includes("]");
  const braced = unescaped.includes("{") && unescaped.includes("}") && /,|\.\./.test(unescaped);
  if (bracketed || braced || /[*?$`"'\0]/.test(unescaped) || endsEscaped(text))
    return { ...plain, literal: null, shape: "other" };
  return hidesTilde(text) ? { ...plain, literal: null, shape: "variable" } : plain;
}

interface Rules {
  /** Unquoted expansions are split at blanks; empty ones vanish. */
  readonly splits: boolean;
  readonly globs: boolean;
}

/** Builds the fields of one word. */
class FieldReader {
  readonly #knowledge: Knowledge;
  readonly #rules: Rules;
  readonly #done: Field[] = [];
  #open: Field | undefined;

  constructor(knowledge: Knowledge, rules: Rules) {
    this.#knowledge = knowledge;
    this.#rules = rules;
  }

  finish(): readonly Field[] {
    return this.#open === undefined ? this.#done : [...this.#done, this.#open];
  }

  readAll(parts: readonly WordPart[]): void {
    for (const part of parts) this.#read(part, false);
  }

  #read(part: WordPart, quoted: boolean): void {
    switch (part.type) {
      case "DoubleQuoted":
        this.#field();
        for (const child of part.parts) this.#read(child, true);
        return;
      case "SingleQuoted":
      case "AnsiCQuoted":
        this.#field();
        return this.#addText(part.value);
      case "Literal":
        return this.#addText(part.value);
      case "SimpleExpansion":
        return this.#expand(lookUp(part.text.slice(1), this.#knowledge), quoted);
      case "ParameterExpansion":
        return this.#expand(this.#parameter(part), quoted);
      case "ArithmeticExpansion": {
        const text = withoutNumbers(part.text, part.expression, this.#knowledge.shell);
        const number = text.startsWith("$((") && calculates(text.slice(3, -2), this.#knowledge);
        return this.#expand(number ? { shape: "variable", number } : { shape: "other" }, quoted);
      }
      case "CommandExpansion":
        return this.#expand(
          { shape: "substitution", number: printsNumber(part.script, this.#knowledge.shell), hollow: true },
          quoted,
        );
      case "ProcessSubstitution":
        this.#addText("/dev/fd/");
        return this.#expand({ shape: part.operator === "<" ? "substitution" : "other" }, true);
      case "Glob":
        return this.#rules.globs ? this.#expand({ shape: "glob" }, quoted) : this.#addText(part.text);
      case "BraceExpansion":
        if (!this.#rules.splits && !this.#rules.globs && part.parts === undefined) return this.#addText(part.text);
        return this.#expand({ shape: "other" }, quoted);
      // This includes extended globs: `bash -c` has them off, so they are syntax errors.
      default:
        return this.#expand({ shape: "other" }, quoted);
    }
  }

  #parameter(part: Extract<WordPart, { type: "ParameterExpansion" }>): Expansion {
    const knowledge = this.#knowledge;
    return readParameter(part, knowledge, (word) => readAssigned(word, word, knowledge));
  }

  #expand(expansion: Expansion, quoted: boolean): void {
    const { known, shape, guess = WILD, number, hollow, many } = expansion;
    if (known !== undefined) {
      if (quoted || !this.#rules.splits) this.#addKnown(known);
      else this.#addSplit(known);
      return;
    }
    const field = this.#field();
    field.mask += WILD;
    if (field.guess.length <= MAX_COMMAND_LENGTH) field.guess += guess;
    field.shape = worse(field.shape, shape);
    field.parts += 1;
    if (!number) field.numbers = false;
    const sure = number && !hollow && !this.#knowledge.shell.variables.has("IFS");
    if (many || (!quoted && !sure && this.#rules.splits)) field.single = false;
  }

  #field(): Field {
    this.#open ??= newField();
    return this.#open;
  }

  #addText(text: string): void {
    if (text === "" && this.#open === undefined) return;
    const field = this.#field();
    if (field.mask.length <= MAX_COMMAND_LENGTH) {
      field.mask += text;
      field.guess += text;
    }
    field.parts += 1;
    field.numbers &&= isNumber(text);
  }

  #addKnown(text: string): void {
    const field = this.#field();
    this.#addText(text);
    field.indirect = true;
  }

  /** Splits an unquoted value at blanks; what a glob in it matches is only known later. */
  #addSplit(text: string): void {
    const divider = this.#divider();
    if (divider === undefined) return this.#expand({ shape: "variable", guess: text }, false);
    if (divider.test(text[0] ?? "")) this.#close();
    for (const [index, piece] of text.split(divider).entries()) {
      if (index > 0) this.#close();
      if (this.#done.length > MAX_WORDS) return this.#expand({ shape: "other" }, false);
      if (piece === "") continue;
      if (!/[*?[\\]/.test(piece)) this.#addKnown(piece);
      else this.#expand({ shape: /[[\\]/.test(piece) ? "variable" : "glob", guess: piece }, false);
    }
  }

  /** Returns the field separator. If IFS was set, it is unknown, except to find harm: then its likely value counts. */
  #divider(): RegExp | undefined {
    const { shell, suspect } = this.#knowledge;
    const ifs = shell.variables.get("IFS");
    if (ifs === undefined) return /[ \t\n]+/;
    const marks = ifs.guesses[0] ?? "";
    if (suspect === undefined) {
      this.#knowledge.tries = Math.max(this.#knowledge.tries, 1);
      return undefined;
    }
    return marks === "" ? /$^/ : new RegExp(`[${marks.replace(/[\]\\^-]/g, "\\$&")}]+`);
  }

  #close(): void {
    if (this.#open !== undefined) this.#done.push(this.#open);
    this.#open = undefined;
  }
}

/** After a colon bash expands `~`, `~+`, `~-` and `~user` too, so the assigned value isn't known. */
function doubtTilde(word: Word): Word {
  return /:~/.test(word.text) ? { ...word, literal: null, shape: worse(word.shape, "variable") } : word;
}

/** `a=~/x` and `a=b:~/x` expand even as plain arguments. */
function hidesTilde(text: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(text) && /[=:]~/.test(text);
}

function isNumber(text: string): boolean {
  return /^(-?[1-9]\d{0,17}|0)$/.test(text);
}

function endsEscaped(text: string): boolean {
  let backslashes = 0;
  while (text[text.length - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
