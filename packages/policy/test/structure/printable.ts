import { type Command, forEachChild, parse, type SyntaxNode } from "unbash";

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
    const found = (node.type === "HereDoc" ? judgeDocument(node, inside) : undefined) ?? judgeNode(node);
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

function judgeNode(node: SyntaxNode): string | undefined {
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
    case "ArithmeticExpansion":
      return node.text.includes("\\\n") ? "arithmetic on two lines" : undefined;
    case "Coproc":
      return node.body.type === "Command" ? "a coprocess of a simple command" : undefined;
    default:
      return undefined;
  }
}

/** bash prints redirects last: what stood after them may then be a reserved word. */
function judgeCommand({ prefix, name, args }: Command): string | undefined {
  const moved = prefix.some((one) => one.type !== "Assignment");
  if (moved && RESERVED.test(name?.value ?? "")) return "a reserved word after a redirect";
  return args.some((arg) => arg.type === "Word" && arg.value === "case") ? "a word that reads like a case" : undefined;
}
