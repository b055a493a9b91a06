import { type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from "unbash";
import { MAX_COMMAND_LENGTH, type Span } from "../model/index.ts";
import { findMisreading } from "./misreading.ts";
import { findLimit } from "./nested.ts";

/** A word of a command, or the text of a here-document, with the characters that are literal. */
export interface LiteralWord {
  readonly span: Span;
  readonly literal: readonly Span[];
}

/**
 * Returns the words that may be redacted without hiding what bash does: operands, values of options, assigned values,
 * input texts. Never a command's name, an option's name, a redirect's target, an operator or an expansion. Undefined if
 * the command can't be parsed to its end.
 */
export function literalWords(command: string): readonly LiteralWord[] | undefined {
  if (command.length > MAX_COMMAND_LENGTH || findLimit(command) < command.length) return undefined;
  const script = parse(command);
  const found: LiteralWord[] = [];
  const pending: { node: SyntaxNode; nested: boolean }[] = [{ node: script, nested: false }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { node } = item;
    if (node.type === "Script") {
      if (node.errors?.length || findMisreading(node, command, item)) return undefined;
      // Offsets inside escaped backticks start at zero.
      if (node.source !== undefined) continue;
    }
    for (const word of wordsOf(node)) found.push(readWord(word, command));
    const nested = item.nested || (node.type === "Script" && node !== script);
    forEachChild(node, (child) => pending.push({ node: child, nested: nested || isInside(node) }));
  }
  return found;
}

type Fed = Pick<Word, "pos" | "end" | "text"> & { readonly parts?: readonly WordPart[] | undefined };

function isInside(node: SyntaxNode): boolean {
  return node.type === "CommandExpansion" || node.type === "ProcessSubstitution";
}

/** Returns the words of this node, without those of nodes inside it. */
function wordsOf(node: SyntaxNode): readonly Fed[] {
  switch (node.type) {
    case "Command":
      return operandsOf(node);
    case "Assignment":
      return node.value.type === "ArrayValue" ? node.value.elements : [node.value];
    case "HereString":
      return node.target === undefined ? [] : [node.target];
    case "HereDoc":
      return [node.body];
    case "For":
      return node.wordlist ?? [];
    default:
      return [];
  }
}

function operandsOf({ suffix }: Command): readonly Word[] {
  return suffix.filter((one) => one.type === "Word");
}

function readWord(word: Fed, source: string): LiteralWord {
  const pieces = word.parts === undefined ? [{ pos: word.pos, end: word.end }] : word.parts.flatMap(literalOf);
  const from = startOfValue(word);
  const literal = pieces
    .map(({ pos, end }) => ({ pos: Math.max(pos, from), end }))
    .filter(({ pos, end }) => pos < end && source.slice(word.pos, word.end) === word.text);
  return { span: { pos: word.pos, end: word.end }, literal };
}

/** Returns where the value begins: behind the `=` of an option, whose name stays visible. */
function startOfValue({ pos, end, text }: Fed): number {
  if (!/^["']?-(?!-{4})/.test(text)) return pos;
  const equals = text.indexOf("=");
  return equals === -1 ? end : pos + equals + 1;
}

function literalOf(part: WordPart): readonly Span[] {
  switch (part.type) {
    case "Literal":
      return [{ pos: part.pos, end: part.end }];
    case "SingleQuoted":
      return [{ pos: part.pos + 1, end: part.end - 1 }];
    case "DoubleQuoted":
      return part.parts.flatMap(literalOf);
    default:
      return [];
  }
}
