import {
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  type Pipeline,
  type Redirect,
  type SyntaxNode,
  type Word,
} from "unbash";
import { isSubstitution } from "./nested.ts";

/** Text that may contain one of the misreadings below; other text needs no second look. */
const SUSPECT =
  /\\\n|\$'|[<>]\(|[<>]&(?:[ \t]|\\\n)*-|[<>](?:[ \t]|\\\n)*(?:\d+|\{\w+\})[<>]|[=(]\(|<<|[@!+*?]\(|\bfor(?:\s|\\\n)*\(|\btime\b|\[\[|\$\{[\s|]|\w\[[^\]]*[\s;&|<>()]/;

/** A single-quoted text that contains an expansion. */
const QUOTED_EXPANSION = /'[^']*[`$]/;

/** bash joins the lines first: then it is an expansion, or arithmetic. In single quotes it is text, but who writes that? */
const SPLIT = /\$\\\n|\((?:\\\n)+\(|\)(?:\\\n)+\)|[<>&|;](?:\\\n)+[<>&|;(]/;

/** bash 5.2 searches for the end of arithmetic here first. */
const DOUBTFUL = /[<>]\(\(/;

/**
 * Returns a sentence about text that the parser reads differently than bash without an error. Each case was found by
 * comparing the two and could hide a command. Such a script is opaque.
 */
export function findMisreading(
  script: ParsedScript,
  source: string,
  { nested }: { nested: boolean },
): string | undefined {
  const text = source.slice(script.pos, script.end);
  if (!SUSPECT.test(text) && !(text.includes("${") && QUOTED_EXPANSION.test(text))) return undefined;
  if (SPLIT.test(text)) return "Contains an operator that is written on two lines";
  if (DOUBTFUL.test(text)) return "Contains a substitution that begins like arithmetic";
  const pending: { node: SyntaxNode; place: Place }[] = [{ node: script, place: "command" }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { node } = item;
    const place = node.type === "TestCommand" ? "test" : node.type === "ParameterExpansion" ? "expansion" : item.place;
    const found = judgeNode(node, { source, nested, place });
    if (found !== undefined) return found;
    // A substitution's content is a separate script.
    if (isSubstitution(node)) continue;
    const index = node.type === "Assignment" ? node.index : undefined;
    forEachChild(node, (child) => pending.push({ node: child, place: child === index ? "expansion" : place }));
  }
  return undefined;
}

/** The kind of node that a word is part of decides which unquoted characters it may contain. */
type Place = "command" | "test" | "expansion";

interface Where {
  readonly source: string;
  /** Inside a substitution. */
  readonly nested: boolean;
  readonly place: Place;
}

function judgeNode(node: SyntaxNode, where: Where): string | undefined {
  switch (node.type) {
    case "Word":
      return judgeWord(node, where);
    case "Redirect":
      return judgeRedirect(node, where);
    case "HereDoc":
      return judgeHereDoc(node, where);
    case "Command":
      return judgeArrays(node, where) ?? judgeSubscripts(node);
    case "Pipeline":
      return losesReservedWords(node, where) ? "Times a compound command inside a substitution" : undefined;
    case "ExtendedGlob":
      return where.place !== "command" ? undefined : "Contains an extended glob, which bash rejects here";
    case "SimpleExpansion":
      return /^(?:\\\n)+\w/.test(where.source.slice(node.end, node.end + 64))
        ? "Contains a name that is written on two lines"
        : undefined;
    case "CommandExpansion":
      return judgeSubstitution(node.text);
    case "Subshell":
      // If it isn't arithmetic after all, bash loses the lines after the first.
      return where.source.startsWith("((", node.pos) ? "Contains a subshell that begins like arithmetic" : undefined;
    case "TestUnary":
      return endsLine(node.pos, node.operand.pos, where) ? "Contains a test on two lines" : undefined;
    case "TestBinary":
      return endsLine(node.left.end, node.right.pos, where) ? "Contains a test on two lines" : undefined;
    case "ParameterExpansion":
    case "ArithmeticExpansion":
      // In double quotes bash decodes it and evaluates the result: "${x-$'\\x24(id)'}" runs id.
      if (node.text.includes("$'")) return "Contains an escaped text inside an expansion";
      // In double quotes and here-documents, single quotes are literal: "${x-'`id`'}" runs id.
      return QUOTED_EXPANSION.test(node.text) ? "Contains a quoted text inside an expansion" : undefined;
    case "AnsiCQuoted":
      // bash takes both characters as text.
      if (node.text.includes("\\\n")) return "Contains a continued line in a quoted text";
      // bash takes a number in braces, and reads anything else in its own way.
      return node.text.includes("\\x{") ? "Contains an escape that isn't read alike everywhere" : undefined;
    case "ArithmeticFor": {
      const head = where.source.slice(node.pos, node.body.pos);
      return /^for(?:\s|\\\n)*\(\(/.test(head) && head.includes("))") ? undefined : "Contains a for that bash refuses";
    }
    default:
      return undefined;
  }
}

function judgeWord(word: Word, where: Where): string | undefined {
  // bash joins lines before it looks for operators and names: `2\⏎>a` is a redirect, `$a\⏎b` one variable.
  if (splitsLine(word, where)) return "Contains a word that is written on two lines";
  // bash reads `2<(a)` as a word with a substitution and `<=(a)` as an error; the parser reads both as text.
  if (unquoted(word).some((text) => holdsOperator(text, where))) return "Contains an operator inside a word";
  return sticks(word, where.source) ? "Contains a substitution that is stuck to another word" : undefined;
}

/** Returns the unquoted text of the word, as written. */
function unquoted({ parts, text }: Word): string[] {
  if (parts === undefined) return [text];
  return parts.flatMap((part) => (part.type === "Literal" ? [part.text] : []));
}

/**
 * Reports whether a continued line splits the word. Between blanks it only separates words; in braces the parser takes
 * it as part of the alternatives.
 */
function splitsLine(word: Word, { source }: Where): boolean {
  if (word.parts?.some((part) => part.type === "BraceExpansion" && part.text.includes("\\\n"))) return true;
  const blankBefore = /^(?:$|[\s;&|(])/.test(source[word.pos - 1] ?? "");
  const blankAfter = /^(?:$|\s)/.test(source[word.end] ?? "");
  return unquoted(word).some((text) => {
    const inner = blankBefore ? text.replace(/^(?:\\\n)+/, "") : text;
    return (blankAfter ? inner.replace(/(?:\\\n)+$/, "") : inner).includes("\\\n");
  });
}

/** In a test, parentheses and bars may be a pattern; in an expansion almost anything is text. */
const OPERATORS: Record<Place, RegExp> = { command: /[()<>|&;\s]/, test: /[<>]\(|[;&]/, expansion: /[<>]\(/ };

function holdsOperator(text: string, { place }: Where): boolean {
  return OPERATORS[place].test(text.replace(/\\[\s\S]/g, ""));
}

/** Reports whether a substitution touches the word: `a<(b)` and `<(a)b` are one word to bash, two to the parser. */
function sticks({ parts, pos, end }: Word, source: string): boolean {
  const first = parts?.[0]?.type === "ProcessSubstitution";
  const last = parts?.at(-1)?.type === "ProcessSubstitution";
  const before = source[pos - 2] === "\\" ? "\\" : (source[pos - 1] ?? " ");
  const after = source.slice(end, end + 2);
  return (first && /[^\s;&|(<>=]/.test(before)) || (last && /^(?:[^\s;&|()<>]|[<>]\()/.test(after));
}

function judgeSubstitution(text: string): string | undefined {
  // bash 5.3 runs it in this shell; older versions reject it.
  if (text.startsWith("${")) return "Contains a substitution that not every bash knows";
  return /^`[\s\S]*\\\n/.test(text) ? "Contains a continued line in backticks" : undefined;
}

function endsLine(from: number, to: number, { source }: Where): boolean {
  return source.slice(from, to).replaceAll("\\\n", "").includes("\n");
}

/** Returns the text without a continued line at its end. */
function withoutEnd(text: string): string {
  return text.replace(/(?:\\\n)+$/, "");
}

function judgeRedirect({ operator, target }: Redirect, { source }: Where): string | undefined {
  if (target === undefined) return undefined;
  const copies = operator === ">&" || operator === "<&";
  // `>&-s` closes the descriptor, and a word s follows.
  if (copies && /^-./s.test(withoutEnd(target.text))) return "Contains a word that is stuck to a closed descriptor";
  // `<2>a` has no file to read: the 2 belongs to the next redirect, as `{n}` does.
  const taken = !copies && isDescriptor(target.text) && /[<>]/.test(source[target.end] ?? "");
  return taken ? "Contains a redirect without a target" : undefined;
}

function isDescriptor(text: string): boolean {
  return /^(?:\d+|\{\w+\})$/.test(text);
}

function judgeHereDoc({ closing, delimiter, pos }: HereDoc, { nested, source }: Where): string | undefined {
  // bash joins the lines first: then `<<` and `-` are one operator.
  if (delimiter !== undefined && withoutEnd(source.slice(pos, delimiter.end)).includes("\\\n")) {
    return "Contains a here-document whose end is written on two lines";
  }
  if (isDescriptor(delimiter?.text ?? "") && /[<>]/.test(source[delimiter?.end ?? 0] ?? "")) {
    return "Contains a here-document whose end is a descriptor";
  }
  if (closing !== undefined) return undefined;
  // In a substitution bash takes the next lines as the text; the parser takes them as commands.
  const quoted = /['"\\$`]/.test(delimiter?.text ?? "");
  return nested || quoted ? "Contains a here-document without its end" : undefined;
}

/** In a substitution bash 5.2 drops the backslashes of an array; after a redirect it knows no arrays. */
function judgeArrays({ prefix }: Command, { nested }: Where): string | undefined {
  const redirect = prefix.findIndex((one) => one.type !== "Assignment");
  const misread = prefix.some((one, index) => {
    if (one.type !== "Assignment" || one.value.type !== "ArrayValue") return false;
    return (redirect !== -1 && index > redirect) || (nested && one.text.includes("\\"));
  });
  return misread ? "Contains an array that bash reads otherwise" : undefined;
}

/** After a redirect bash knows no subscripts: `s=</a b[ ;id ]=1` runs id, which the parser takes as an index. */
function judgeSubscripts({ name, prefix }: Command): string | undefined {
  const redirect = prefix.findIndex((one) => one.type !== "Assignment");
  if (redirect === -1) return undefined;
  const after = [...prefix.slice(redirect), ...(name === undefined ? [] : [name])];
  const misread = after.some((one) => "text" in one && /^\w+\[[^\]]*[\s;&|<>()]/.test(one.text));
  return misread ? "Contains an index that bash reads otherwise" : undefined;
}

/** In a substitution bash 5.2 knows no reserved words after `time`: `$(time [[ a > b ]])` writes b. */
function losesReservedWords({ prefixes, commands }: Pipeline, { nested }: Where): boolean {
  if (!nested || !prefixes.some((one) => one.type === "Time")) return false;
  return commands.some((one) => one.type !== "Command" || one.prefix.length > 0);
}
