import type { AwkToken } from "./awk-tokens.ts";
import type { TextReading } from "./text-reading.ts";

/** What may stand before an expression that begins here, and after one that ends. */
const BEGINS = ["(", "{", "}", ";", "\n", "&&", "||", "!", "=", ",", "?", ":"];
const ENDS = [")", "}", ";", "\n"];

/** The commands and files that a program names as plain strings; what it puts together can't be told. */
export function findReaches(tokens: readonly AwkToken[]): Omit<TextReading, "problem"> {
  const found = { commands: [] as string[], writes: [] as string[], reads: [] as string[], runsInput: false };
  for (const at of tokens.keys()) {
    const command = findCommand(tokens, at);
    if (command === "open") found.runsInput = true;
    else if (command !== undefined) found.commands.push(command.text);
    const [text, next] = [textAt(tokens, at), takePlain(tokens, at + 1, ENDS)];
    if (next !== undefined && (text === ">" || text === ">>")) found.writes.push(next);
    if (next !== undefined && text === "<") found.reads.push(next);
  }
  return found;
}

export function isPipe(text: string): boolean {
  return text === "|" || text === "|&";
}

function findCommand(tokens: readonly AwkToken[], at: number): { readonly text: string } | "open" | undefined {
  const text = textAt(tokens, at);
  if (text === "system") return wrap(takePlain(tokens, at + 2, [")"]));
  if (!isPipe(text)) return undefined;
  if (textAt(tokens, at + 1) !== "getline") return wrap(takePlain(tokens, at + 1, ENDS));
  return wrap(BEGINS.includes(textAt(tokens, at - 2)) ? takePlain(tokens, at - 1, [text]) : undefined);
}

function wrap(text: string | undefined): { readonly text: string } | "open" {
  return text === undefined ? "open" : { text };
}

/** The string that is a token, if one of `ends` comes after it: else it is only a part. */
function takePlain(tokens: readonly AwkToken[], at: number, ends: readonly string[]): string | undefined {
  const token = tokens[at];
  if (token?.kind !== "string" || !ends.includes(textAt(tokens, at + 1))) return undefined;
  return token.text.slice(1, -1).replace(/\\(.)/g, "$1");
}

/** The program's beginning and its end are as good as a newline. */
function textAt(tokens: readonly AwkToken[], at: number): string {
  return tokens[at]?.text ?? "\n";
}
