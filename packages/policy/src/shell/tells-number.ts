import type { Command, ParsedScript, SyntaxNode } from "unbash";
import { NUMBER_TELLERS } from "../catalog/index.ts";
import { findNested } from "../parse/index.ts";
import type { ShellState } from "./shell-state.ts";

const tellers = new Map(NUMBER_TELLERS.map(({ name, form }) => [name, new RegExp(form)]));

/** Whether a substitution prints numbers and nothing else, if its last command is the program of that name. */
export function tellsNumber(script: ParsedScript | undefined, shell: ShellState): boolean {
  const [statement, second] = script?.commands ?? [];
  if (statement === undefined || second !== undefined || script?.errors?.length || statement.background) return false;
  const { command } = statement;
  const last = command.type === "Pipeline" ? command.commands.at(-1) : command;
  return last?.type === "Command" && isTeller(last, shell);
}

/**
 * Arithmetic text with a number in the place of each substitution that prints nothing but numbers. Stuck to a name it would be
 * a part of that name.
 */
export function withoutNumbers(text: string, node: SyntaxNode | undefined, shell: ShellState): string {
  if (node === undefined || !text.includes("$(")) return text;
  let plain = text;
  for (const nested of findNested([node])) {
    const at = plain.indexOf(nested.text);
    const around = (plain[at - 1] ?? "") + (plain[at + nested.text.length] ?? "");
    if (at === -1 || /[\w$#{}[\]]/.test(around) || !tellsNumber(nested.script, shell)) continue;
    plain = `${plain.slice(0, at)}1${plain.slice(at + nested.text.length)}`;
    // It may print nothing, and then the rest may be an error.
    shell.fragile = true;
  }
  return plain;
}

function isTeller({ name, prefix, args, redirects }: Command, shell: ShellState): boolean {
  const plain = [name, ...args].every(
    (word) => word?.type === "Word" && word.parts === undefined && word.text === word.value,
  );
  const reads = redirects.every((one) => one.type === "Redirect" && one.operator === "<");
  if (name === undefined || !plain || !reads || prefix.length > 0 || shell.functions.has(name.value)) return false;
  return tellers.get(name.value)?.test(args.map((word) => word.text).join(" ")) === true;
}
