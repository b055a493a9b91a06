import { quoteWord } from "@countersign/protocol/text";

export interface LineRange {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

export function readCommand(path: string, { startLine, endLine }: LineRange = {}): string {
  if (startLine === undefined && endLine === undefined) return `cat -- ${quoteWord(path)}`;
  const script = `${startLine ?? 1},${endLine ?? "$"}p${endLine === undefined ? "" : `;${endLine}q`}`;
  return `sed -n ${quoteWord(script)} -- ${quoteWord(path)}`;
}

export function listCommand(path: string): string {
  return `ls -la -- ${quoteWord(path)}`;
}

/** Returns a command that prints the content's hash on the first line, then the content if wanted. */
export function hashCommand(path: string, then: "and content" | "alone"): string {
  const hash = `sha256sum < ${quoteWord(path)}`;
  return then === "alone" ? hash : `${hash} && ${readCommand(path)}`;
}
