import { type Command, forEachChild, type Pipeline, parse, type SyntaxNode } from "unbash";

/** Also `--`, which `time` takes for its own. */
const RESERVED =
  /^(?:!|\[\[|\]\]|[{}]|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while|-.*)$/;
const COMPOUND = ["CompoundList", "CommandExpansion", "ProcessSubstitution", "AndOr", "Pipeline"];

/**
 * Why bash can't be asked about this command, or undefined. Its printer, not its reader, fails here: it loses the separator
 * after a here-document in a compound command, and what it moves or decodes may read otherwise than what was written.
 */
export function whyNotPrintable(source: string): string | undefined {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(source)) return "a backslash at the very end";
  if (source.includes("$[")) return "arithmetic in brackets, which it prints as it stands";
  const pending: { node: SyntaxNode; inside: boolean }[] = [{ node: parse(source), inside: false }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { node } = item;
    const inside =
      item.inside || COMPOUND.includes(node.type) || (node.type === "Statement" && node.background === true);
    const found = (node.type === "HereDoc" ? judgeDocument(node, inside) : undefined) ?? judgeNode(node, source);
    if (found !== undefined) return found;
    forEachChild(node, (child) => pending.push({ node: child, inside }));
  }
  return undefined;
}

function judgeDocument(
  { closing, delimiter }: Extract<SyntaxNode, { type: "HereDoc" }>,
  inside: boolean,
): string | undefined {
  if (inside) return "a here-document in a compound command";
  if (closing === undefined) return "a here-document without its end";
  return /^-|[$`]/.test(delimiter?.text ?? "") ? "an odd end of a here-document" : undefined;
}

function judgeNode(node: SyntaxNode, source: string): string | undefined {
  switch (node.type) {
    case "Command":
      return judgeCommand(node);
    case "Word":
      return node.text.endsWith("\\&") ? "a word that ends like a separator" : undefined;
    case "CaseItem":
      return node.pattern.some((one) => one.value === "esac") ? "a pattern that reads like the end" : undefined;
    case "Unknown":
      return "an expansion that bash refuses when it runs";
    case "ParameterExpansion":
      return node.parameter === "" ? "an expansion that bash refuses when it runs" : undefined;
    // We leave the backslash there, and then it is never safe.
    case "ArithmeticExpansion":
      return node.text.includes("\\\n") ? "arithmetic on two lines" : undefined;
    case "ArithmeticCommand":
      return node.body.includes("\\\n") ? "arithmetic on two lines" : undefined;
    case "ArithmeticFor":
      return source.slice(node.pos, node.body.pos).includes("\\\n") ? "arithmetic on two lines" : undefined;
    case "Pipeline":
      return timesOption(node) ? "a command that time takes for an option" : undefined;
    case "Coproc":
      return node.body.type === "Command" ? "a coprocess of a simple command" : undefined;
    default:
      return undefined;
  }
}

/** `time -- -p` is printed as `time -p -p`, without what ended the options. */
function timesOption({ prefixes, commands }: Pipeline): boolean {
  const [first] = commands;
  return prefixes.some((one) => one.type === "Time") && first?.type === "Command" && /^-/.test(first.name?.value ?? "");
}

/** bash prints redirects last: what stood after them may then be a reserved word. */
function judgeCommand({ prefix, name, args, redirects }: Command): string | undefined {
  const moved = prefix.some((one) => one.type !== "Assignment");
  if (moved && RESERVED.test(name?.value ?? "")) return "a reserved word after a redirect";
  // Behind a blank, in a substitution, we take it for one and give up; bash puts blanks before targets.
  const targets = redirects.map((one) => (one.type === "HereDoc" ? undefined : one.target));
  const isCase = (word: SyntaxNode | undefined) => word?.type === "Word" && /^case(?!\w)/.test(word.value);
  return [...args, ...targets].some(isCase) ? "a word that reads like a case" : undefined;
}
