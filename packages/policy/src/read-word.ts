import type { ParameterExpansionPart, Word, WordPart } from "unbash";
import type { Span } from "./effect.ts";

/** Stands in `mask` for text that is only known when the command runs. No word can hold a NUL, so it can't be forged. */
export const WILD = "\0";

/** Ordered from known to unknown; a word takes the worst of its pieces. */
const SHAPES = ["literal", "glob", "variable", "substitution", "other"] as const;
type WordShape = (typeof SHAPES)[number];

export interface WordReading {
  readonly span: Span;
  readonly shape: WordShape;
  /** The word after quote removal, or null when it isn't literal. */
  readonly literal: string | null;
  /** The word with each unknown stretch as `WILD`. */
  readonly mask: string;
  /** `mask` with `$HOME` and `$PWD` filled in: good enough to find harm, never to prove safety. */
  readonly guess: string;
  /** Begins with an unquoted `~`. */
  readonly tilde: boolean;
  /** Surely one field: not split, not globbed away. */
  readonly single: boolean;
  /** As written, for sentences. */
  readonly text: string;
}

export interface Places {
  readonly home: string;
  readonly cwd: string;
}

/** Reads a word as bash would expand it. Substitutions inside it are found by `findNested`, not here. */
export function readWord(word: Word, span: Span, places: Places): WordReading {
  const reading = { mask: "", guess: "", shape: "literal" as WordShape, single: true };
  const parts = word.parts;
  if (parts === undefined) readPlain(word, reading);
  else for (const part of parts) readPart(part, { reading, places, quoted: false });
  const tilde = word.text.startsWith("~");
  // A backslash with nothing after it waits for a line that never comes.
  if (endsEscaped(word.text)) reading.shape = "other";
  if (hidesTilde(word.text)) reading.shape = worse(reading.shape, "variable");
  const literal = reading.shape === "literal" && !reading.mask.includes(WILD) ? reading.mask : null;
  return { span, literal, tilde, text: word.text, ...reading };
}

/** A word that some program adds while it runs, as `xargs` and `find -exec` do. */
export function unknownWord(span: Span): WordReading {
  const text = "an operand that is only known later";
  return { span, shape: "variable", literal: null, mask: WILD, guess: WILD, tilde: false, single: false, text };
}

/** A literal word that isn't in the source as such, as the pieces of `env -S 'a b'`. */
export function literalWord(text: string, span: Span): WordReading {
  return { span, shape: "literal", literal: text, mask: text, guess: text, tilde: false, single: true, text };
}

interface Accumulated {
  mask: string;
  guess: string;
  shape: WordShape;
  single: boolean;
}

interface Place {
  readonly reading: Accumulated;
  readonly places: Places;
  readonly quoted: boolean;
}

/** The parser gives no parts to a word without quotes or expansions. That claim is checked again: safety hangs on it. */
function readPlain(word: Word, reading: Accumulated): void {
  reading.mask = word.value;
  reading.guess = word.value;
  const unescaped = word.text.replace(/\\[\s\S]/g, "");
  // Only tests that are linear in the word: a pattern such as {.*,.*} would take hours on a hostile one.
  const bracketed = unescaped.includes("[") && unescaped.includes("]");
  const braced = unescaped.includes("{") && unescaped.includes("}") && /,|\.\./.test(unescaped);
  if (bracketed || braced || /[*?$`"'\0]/.test(unescaped)) reading.shape = "other";
}

function readPart(part: WordPart, place: Place): void {
  if (part.type === "DoubleQuoted") for (const child of part.parts) readPart(child, { ...place, quoted: true });
  else if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") {
    addText(place.reading, part.value);
  } else if (part.type === "SimpleExpansion") addVariable(place, part.text.slice(1));
  else if (part.type === "ParameterExpansion" && isPlain(part)) addVariable(place, part.parameter);
  else if (part.type === "ProcessSubstitution" && part.operator === "<") {
    addText(place.reading, "/dev/fd/");
    addUnknown({ ...place, quoted: true }, "substitution");
  } else if (part.type === "ArithmeticExpansion") addUnknown({ ...place, quoted: true }, arithmeticShape(part.text));
  else if (part.type === "CommandExpansion") addUnknown(place, "substitution");
  else if (part.type === "Glob") addUnknown(place, "glob");
  // Among the rest are extended globs: `bash -c` has them off, and then they are a syntax error.
  else addUnknown(place, "other");
}

function isPlain(part: ParameterExpansionPart): boolean {
  return part.prefix === undefined && part.index === undefined && part.operation === undefined;
}

/** Numbers and operators only: a name would be evaluated again, and its value may hold a command. */
function arithmeticShape(text: string): WordShape {
  return /^\$\(\([\d\s+\-*/%()]*\)\)$/.test(text) ? "variable" : "other";
}

function addText(reading: Accumulated, text: string): void {
  reading.mask += text;
  reading.guess += text;
}

function addUnknown(place: Place, shape: WordShape): void {
  place.reading.mask += WILD;
  place.reading.guess += WILD;
  place.reading.shape = worse(place.reading.shape, shape);
  if (!place.quoted) place.reading.single = false;
}

function addVariable(place: Place, name: string): void {
  const known = name === "HOME" ? place.places.home : name === "PWD" ? place.places.cwd : undefined;
  const { reading } = place;
  reading.mask += WILD;
  reading.guess += known ?? WILD;
  reading.shape = worse(reading.shape, "variable");
  if (!place.quoted || name === "@") reading.single = false;
}

/** `a=~/x` and `a=b:~/x` expand even as plain arguments. */
function hidesTilde(text: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(text) && /[=:]~/.test(text);
}

function endsEscaped(text: string): boolean {
  let backslashes = 0;
  while (text[text.length - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function worse(a: WordShape, b: WordShape): WordShape {
  return SHAPES.indexOf(a) > SHAPES.indexOf(b) ? a : b;
}
