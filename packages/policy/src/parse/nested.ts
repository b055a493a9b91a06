import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import { MAX_OPENINGS, type Span } from "../model/index.ts";

interface NestedScript {
  /** Undefined if the parser gave up on the content. */
  readonly script: ParsedScript | undefined;
  readonly span: Span;
  /** The source text. */
  readonly text: string;
}

/** Returns the outermost substitutions under the nodes, in source order. Doesn't descend into their scripts. */
export function findNested(roots: readonly SyntaxNode[]): NestedScript[] {
  const found: NestedScript[] = [];
  const pending: SyntaxNode[] = [...roots].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isSubstitution(node)) {
      found.push({ script: node.script, span: { pos: node.pos, end: node.end }, text: node.text });
      continue;
    }
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    for (const child of children.reverse()) pending.push(child);
  }
  return found;
}

export function isSubstitution(node: SyntaxNode) {
  return (
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "ArithmeticCommandExpansion"
  );
}

/** Returns the offset at which the text exceeds the number of openings that the parser handles quickly. */
export function findLimit(source: string): number {
  if (source.length <= MAX_OPENINGS) return source.length;
  let count = 0;
  for (const { index } of source.matchAll(/\{|\(\(|[$<>]\(/g)) {
    count += 1;
    if (count > MAX_OPENINGS) return index;
  }
  return source.length;
}
