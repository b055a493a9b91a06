import { forEachChild, type ParsedScript, type Redirect, type SyntaxNode, type Word, type WordPart } from "unbash";
import { isSubstitution } from "./find-nested.ts";

/** Text in which one of the misreadings below can be; nothing else is looked at twice. */
const SUSPECT = /[<>]\(|[<>]&-|=\(|<<|[@!+*?]\(|\bfor\(/;

/**
 * Where the parser reads otherwise than bash, without saying so. Each was found by comparing the two; each would hide a
 * command. What is found makes the script opaque.
 */
export function findMisreading(
  script: ParsedScript,
  source: string,
  { nested }: { nested: boolean },
): string | undefined {
  if (!SUSPECT.test(source.slice(script.pos, script.end))) return undefined;
  const pending: { node: SyntaxNode; inTest: boolean }[] = [{ node: script, inTest: false }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { node } = item;
    const inTest = item.inTest || node.type === "TestCommand";
    const found = judgeNode(node, { source, nested, inTest });
    if (found !== undefined) return found;
    // What a substitution holds is a script of its own.
    if (isSubstitution(node)) continue;
    forEachChild(node, (child) => pending.push({ node: child, inTest }));
  }
  return undefined;
}

interface Where {
  readonly source: string;
  readonly nested: boolean;
  readonly inTest: boolean;
}

function judgeNode(node: SyntaxNode, where: Where): string | undefined {
  switch (node.type) {
    case "Word":
      return judgeWord(node, where);
    case "Redirect":
      return closesAndGoesOn(node) ? "Holds a word that is stuck to a closed descriptor" : undefined;
    case "HereDoc":
      // bash takes the lines after the substitution for its text; the parser takes them for commands.
      return where.nested && node.closing === undefined
        ? "Holds a here-document that its substitution doesn't end"
        : undefined;
    case "ExtendedGlob":
      return where.inTest ? undefined : "Holds an extended glob, which bash refuses here";
    case "ArithmeticFor":
      return /^for(?:\s|\\\n)*\(\(/.test(where.source.slice(node.pos, node.pos + 64))
        ? undefined
        : "Holds a for that bash refuses";
    default:
      return undefined;
  }
}

function judgeWord(word: Word, where: Where): string | undefined {
  // `2<(a)` is a word with a substitution, `<=(a)` an error: to the parser both are plain text.
  if (unquoted(word).some((text) => holdsOperator(text, where))) return "Holds an operator inside a word";
  return sticks(word, where.source) ? "Holds a substitution that is stuck to another word" : undefined;
}

/** What stands in the word without quotes, as it is written. */
function unquoted(word: Word): string[] {
  if (word.parts === undefined) return [word.text];
  return word.parts.flatMap((part: WordPart) => (part.type === "Literal" ? [part.text] : []));
}

/** In a test, parentheses and bars may be a pattern. */
function holdsOperator(text: string, { inTest }: Where): boolean {
  const plain = text.replace(/\\[\s\S]/g, "");
  return inTest ? /[<>]\(/.test(plain) : /[()<>|&;\s]/.test(plain);
}

/** `a<(b)` and `<(a)b` are one word to bash, two to the parser. */
function sticks({ parts, pos, end }: Word, source: string): boolean {
  const first = parts?.[0]?.type === "ProcessSubstitution";
  const last = parts?.at(-1)?.type === "ProcessSubstitution";
  const before = source[pos - 1] ?? " ";
  return (
    (first && /[^\s;&|()<>=]/.test(before)) || (last && /^(?:[^\s;&|()<>]|[<>]\()/.test(source.slice(end, end + 2)))
  );
}

/** `>&-s` closes, and then there is a word s. */
function closesAndGoesOn({ operator, target }: Redirect): boolean {
  return (operator === ">&" || operator === "<&") && /^-./s.test(target?.text ?? "");
}
