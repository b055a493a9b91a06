import { forEachChild, type SyntaxNode, type WordPart } from "unbash";
import { joined, type Outline, type Outliner } from "./outline.ts";

/** The pieces of a word: literal text is joined, whatever its quotes; what expands keeps its kind and its quoting. */
export function outlineParts(parts: readonly WordPart[], outliner: Outliner): Outline {
  const pieces: (string | Outline)[] = [];
  let text = "";
  const add = (part: WordPart, quoted: boolean): void => {
    if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") text += part.value;
    // Marked, so that it isn't taken for the same text in quotes.
    else if (part.type === "Glob") text += joined(part.text).replace(/[*?[]/g, "\u0002$&");
    else if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
      for (const child of part.parts) add(child, true);
    } else {
      pieces.push(text, [quoted ? "quoted" : "bare", ...outlinePiece(part, outliner)]);
      text = "";
    }
  };
  for (const part of parts) add(part, false);
  return [...pieces, text];
}

function outlinePiece(part: SyntaxNode, outliner: Outliner): Outline {
  switch (part.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
      return [part.type, outliner.script(part.script)];
    case "ParameterExpansion":
      // Refused when it runs, whatever it holds.
      if (part.operation?.type === "Unknown" || part.parameter === "") return ["Unknown"];
      return [part.type, part.prefix ?? "", part.parameter, ...childrenOf(part, outliner)];
    case "ArithmeticExpansion":
      return [part.type, ...childrenOf(part, outliner)];
    case "SimpleExpansion":
    case "BraceExpansion":
    case "ExtendedGlob":
      return [part.type, joined(part.text)];
    default:
      return outliner.node(part);
  }
}

export function childrenOf(node: SyntaxNode, outliner: Outliner): Outline[] {
  const found: Outline[] = [];
  forEachChild(node, (child) => found.push(outliner.node(child)));
  return found;
}
