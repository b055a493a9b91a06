import type { Command, ParsedScript, SyntaxNode } from "unbash";
import { NUMBER_TELLERS } from "../catalog/index.ts";
import { findNested } from "../parse/index.ts";
import type { Knowledge, ShellState } from "./state.ts";
import { lookUp } from "./variables.ts";

/** What evaluating an arithmetic expression does. */
interface Arithmetic {
  /**
   * Every name certainly has a number as its value, so nothing is evaluated a second time and no command can hide
   * there.
   */
  readonly safe: boolean;
  /** Names that it sets to numbers. */
  readonly sets: readonly string[];
  /** It can't fail, so every assignment in it happens. */
  readonly sure: boolean;
}

const TOKEN =
  /\s*(?:(0[xX][0-9a-fA-F]+|0|[1-9]\d*)(?![\w#.[])|\$\{(#?)(\w+)\}|\$([A-Za-z_]\w*|[\d#?$])|([A-Za-z_]\w*)(?![\w[(])|(\+\+|--|<<=|>>=|\*\*|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^<>=!~?:,()]))/y;
const SETTING = /^(=|<<=|>>=|[-+*/%&|^]=)$/;

/**
 * Reads the inside of `$((…))`, `((…))` or `let` token by token. Anything but plain numbers, names and operators isn't
 * safe.
 */
export function readArithmetic(text: string, knowledge: Knowledge): Arithmetic {
  const reader = new ArithmeticReader(knowledge);
  const source = text.trimEnd();
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < source.length; ) {
    const token = TOKEN.exec(source);
    if (token === null) return { safe: false, sets: [], sure: false };
    const [, number, counts, braced, plain, name, operator] = token;
    if (number !== undefined) reader.takeNumber(number);
    else if (name !== undefined) reader.takeName(name);
    else if (operator !== undefined) reader.takeOperator(operator);
    else reader.takeReference(braced ?? plain ?? "", counts === "#");
  }
  return reader.finish();
}

/** Reports whether the expression runs no code and sets nothing. Marks the shell as fragile if it may fail. */
export function calculates(text: string, knowledge: Knowledge): boolean {
  const { safe, sets, sure } = readArithmetic(text, knowledge);
  if (!sure) knowledge.shell.fragile = true;
  return safe && sets.length === 0;
}

class ArithmeticReader {
  readonly #knowledge: Knowledge;
  readonly #sets: string[] = [];
  /** Names set by finished expressions: in `x=x+1` the second x is read before the first is set. */
  #before: readonly string[] = [];
  #safe = true;
  #sure = true;
  #depth = 0;
  /** The last token: an operand, a name that may still be assigned, or an operator. */
  #last: "operand" | "name" | "operator" | "divides" | "start" = "start";
  /** A name that is read unless an assignment follows. */
  #pending: string | undefined;
  /** `++` or `--` came before the operand. */
  #steps = false;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  takeNumber(text: string): void {
    if (this.#last === "divides" && /^0/.test(text)) this.#sure = false;
    this.#operand();
  }

  takeReference(name: string, counts: boolean): void {
    if (!counts) this.#value(name);
    if (this.#last === "divides") this.#sure = false;
    this.#operand();
  }

  takeName(name: string): void {
    if (this.#last === "divides") this.#sure = false;
    const settable = this.#last === "start";
    const steps = this.#steps;
    this.#operand();
    this.#pending = name;
    // `++x` reads x before it sets it.
    if (steps) this.#settle();
    if (steps) this.#sets.push(name);
    else if (settable) this.#last = "name";
  }

  takeOperator(operator: string): void {
    const name = this.#pending;
    const settable = this.#last === "name";
    if (SETTING.test(operator)) {
      if (name === undefined || !settable) this.#sure = false;
      if (operator === "=") this.#pending = undefined;
      this.#settle();
      if (name !== undefined) this.#sets.push(name);
      // `x /= y` may fail as `x / y` does.
      this.#last = /^[/%]/.test(operator) ? "divides" : "start";
      return;
    }
    if (operator === "++" || operator === "--") {
      this.#settle();
      if (!this.#isOperand()) this.#steps = true;
      else if (name === undefined) this.#sure = false;
      else {
        this.#sets.push(name);
        this.#last = "operand";
      }
      return;
    }
    this.#settle();
    if (operator === "(") return this.#openGroup();
    if (operator === ")") return this.#closeGroup();
    const sign = /^[-+!~]$/.test(operator);
    if (!this.#isOperand() && !sign) this.#sure = false;
    if (/^(\*\*|\?|:|&&|\|\|)$/.test(operator)) this.#sure = false;
    if (operator === "," && this.#depth === 0) this.#before = [...this.#sets];
    if (operator === ",") this.#last = "start";
    else this.#last = operator === "/" || operator === "%" ? "divides" : "operator";
  }

  finish(): Arithmetic {
    this.#settle();
    if (this.#depth !== 0 || !this.#isOperand()) this.#sure = false;
    return { safe: this.#safe, sets: this.#sets, sure: this.#sure };
  }

  #isOperand(): boolean {
    return this.#last === "operand" || this.#last === "name";
  }

  #operand(): void {
    this.#settle();
    if (this.#isOperand()) this.#sure = false;
    this.#steps = false;
    this.#last = "operand";
  }

  #openGroup(): void {
    if (this.#isOperand() || this.#last === "divides") this.#sure = false;
    this.#depth += 1;
    this.#last = "start";
  }

  #closeGroup(): void {
    if (!this.#isOperand()) this.#sure = false;
    this.#depth -= 1;
    if (this.#depth < 0) this.#sure = false;
    this.#last = "operand";
  }

  /** Counts the pending name as read: bash evaluates its value as an expression. */
  #settle(): void {
    const name = this.#pending;
    this.#pending = undefined;
    if (name === undefined || (this.#sure && this.#before.includes(name))) return;
    this.#value(name);
  }

  #value(name: string): void {
    const { number, hollow } = lookUp(name, this.#knowledge);
    if (!number) this.#safe = false;
    if (hollow) this.#sure = false;
  }
}

const numberPrinters = new Map(NUMBER_TELLERS.map(({ name, form }) => [name, new RegExp(form)]));

/** Reports whether a substitution prints only numbers, by the form of its last command. */
export function printsNumber(script: ParsedScript | undefined, shell: ShellState): boolean {
  const [statement, second] = script?.commands ?? [];
  if (statement === undefined || second !== undefined || script?.errors?.length || statement.background) return false;
  const { command } = statement;
  const last = command.type === "Pipeline" ? command.commands.at(-1) : command;
  return last?.type === "Command" && isNumberPrinter(last, shell);
}

/**
 * Returns the text with a number for each substitution that prints only numbers. Next to a name the number would become
 * part of that name, so such a substitution stays.
 */
export function withoutNumbers(text: string, node: SyntaxNode | undefined, shell: ShellState): string {
  if (node === undefined || !text.includes("$(")) return text;
  let plain = text;
  for (const nested of findNested([node])) {
    const at = plain.indexOf(nested.text);
    const around = (plain[at - 1] ?? "") + (plain[at + nested.text.length] ?? "");
    if (at === -1 || /[\w$#{}[\]]/.test(around) || !printsNumber(nested.script, shell)) continue;
    plain = `${plain.slice(0, at)}1${plain.slice(at + nested.text.length)}`;
    // If it prints nothing, the rest may be a syntax error.
    shell.fragile = true;
  }
  return plain;
}

function isNumberPrinter({ name, prefix, args, redirects }: Command, shell: ShellState): boolean {
  const plain = [name, ...args].every(
    (word) => word?.type === "Word" && word.parts === undefined && word.text === word.value,
  );
  const reads = redirects.every((one) => one.type === "Redirect" && one.operator === "<");
  if (name === undefined || !plain || !reads || prefix.length > 0 || shell.functions.has(name.value)) return false;
  return numberPrinters.get(name.value)?.test(args.map((word) => word.text).join(" ")) === true;
}
