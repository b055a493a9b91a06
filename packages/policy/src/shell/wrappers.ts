import { WRAPPERS, type Wrapper } from "../catalog/index.ts";
import { type Effect, literalWord, makeEffect, type Span, unknownWord, WILD, type Word } from "../model/index.ts";
import { isIgnored, judgeVariable } from "./environment.ts";
import { compileOptions, type OptionTable } from "./options.ts";

interface Unwrapped {
  readonly inner: readonly Word[];
  /** Shell text that it runs instead of words. */
  readonly text?: Word;
  /** Directory in which the command runs. */
  readonly directory?: Word;
  /** Runs the command once for each item that it reads. */
  readonly sweeps: boolean;
  readonly effects: readonly Effect[];
  readonly runsBuiltins: boolean;
  /** Files that the wrapper itself reads. */
  readonly reads: readonly Word[];
}

interface Compiled {
  readonly wrapper: Wrapper;
  readonly table: OptionTable;
  readonly doubtful: OptionTable;
}

const byName = new Map<string, Compiled>(
  WRAPPERS.flatMap((wrapper) => {
    const doubtful = compileOptions(wrapper.doubtful ?? "");
    const compiled = { wrapper, doubtful, table: compileOptions(wrapper.options, wrapper.doubtful ?? "") };
    return wrapper.names.map((name): [string, Compiled] => [name, compiled]);
  }),
);

/** Returns what a wrapper runs; undefined if the program isn't a wrapper. `words` begins with the wrapper's name. */
export function unwrap(name: string, words: readonly Word[], span: Span): Unwrapped | undefined {
  const compiled = byName.get(name);
  if (compiled === undefined) return undefined;
  const { wrapper } = compiled;
  const state = new Unwrapping(words, compiled, span);
  state.takeOptions();
  if (wrapper.assignments) state.takeAssignments();
  for (let count = wrapper.operands ?? 0; count > 0; count -= 1) state.takeOperand();
  let inner = words.slice(state.next);
  if (wrapper.appends && inner.length > 0) inner = fillIn(inner, state.placeholder, { span });
  return {
    inner: state.text === undefined ? inner : [],
    effects: [...state.effects, ...causes(wrapper, name, span)],
    runsBuiltins: wrapper.builtins === true,
    reads: state.reads,
    sweeps: wrapper.appends === true,
    ...(state.text === undefined ? {} : { text: state.text }),
    ...(state.directory === undefined ? {} : { directory: state.directory }),
  };
}

/**
 * Replaces the placeholder in each word with an unknown part, or appends an unknown word if there is no placeholder.
 * `paths`: the inserted words are paths that no tool takes as options.
 */
export function fillIn(
  words: readonly Word[],
  placeholder: string | undefined,
  { span, paths = false }: { readonly span: Span; readonly paths?: boolean },
): Word[] {
  if (placeholder === undefined || placeholder === "") return [...words, unknownWord(span)];
  return words.map((word) => {
    if (!word.literal?.includes(placeholder)) return word;
    if (word.literal === placeholder) return paths ? { ...unknownWord(span), isPath: true } : unknownWord(span);
    const mask = word.literal.replaceAll(placeholder, WILD);
    return { ...word, literal: null, shape: "variable", mask, guess: mask, single: false };
  });
}

class Unwrapping {
  next = 1;
  placeholder: string | undefined;
  text: Word | undefined;
  directory: Word | undefined;
  readonly effects: Effect[] = [];
  readonly reads: Word[] = [];
  readonly #words: readonly Word[];
  readonly #compiled: Compiled;
  readonly #span: Span;

  constructor(words: readonly Word[], compiled: Compiled, span: Span) {
    this.#words = words;
    this.#compiled = compiled;
    this.#span = span;
  }

  /**
   * Reads options. Reports an unknown one and takes it as a flag, so that deny entries still see the words after it.
   */
  takeOptions(): void {
    for (let word = this.#words[this.next]; word !== undefined; word = this.#words[this.next]) {
      if (word.literal === null) {
        if (!word.single || word.mask.startsWith("-")) this.#unclear(word.text);
        return;
      }
      const lone = word.literal === "-" && this.#compiled.wrapper.dash === true;
      if (!/^-./.test(word.literal) && !lone) return;
      this.next += 1;
      if (word.literal === "--") return;
      if (lone) this.#unclear("-");
      else if (word.literal.startsWith("--")) this.#takeLong(word.literal);
      else if (!/^-\d+$/.test(word.literal)) this.#takeCluster(word.literal);
    }
  }

  takeAssignments(): void {
    const found: { readonly name: string; readonly value: string; readonly single: boolean }[] = [];
    for (let word = this.#words[this.next]; word !== undefined; word = this.#words[this.next]) {
      // env accepts any name, including those from which bash imports functions.
      const known = /^([^-=\s/][^=\s/]*)=/.exec(word.mask);
      if (known?.[1] === undefined) break;
      found.push({ name: known[1], value: word.mask.slice(known[0].length), single: word.single });
      this.next += 1;
    }
    const program = this.#words[this.next]?.literal ?? "";
    // A value that may split may add the name of another program.
    const sure = found.every(({ single }) => single);
    for (const { name, value } of found)
      if (!sure || !isIgnored(name, program)) this.effects.push(...judgeVariable(name, value, this.#span));
  }

  takeOperand(): void {
    const word = this.#words[this.next];
    if (word !== undefined && word.literal === null) this.#unclear(word.text);
    this.next += 1;
  }

  #takeLong(text: string): void {
    const at = text.indexOf("=");
    const name = at === -1 ? text : text.slice(0, at);
    const kind = this.#compiled.table.kinds.get(name);
    if (kind === undefined || this.#compiled.doubtful.kinds.has(name)) this.#unclear(name);
    if (kind !== undefined && kind !== "flag") this.#takeValue(name, at === -1 ? undefined : text.slice(at + 1));
  }

  #takeCluster(text: string): void {
    for (let index = 1; index < text.length; index += 1) {
      const name = `-${text[index]}`;
      const kind = this.#compiled.table.kinds.get(name);
      if (kind === undefined || this.#compiled.doubtful.kinds.has(name)) this.#unclear(name);
      if (kind === "flag") continue;
      if (kind !== undefined) this.#takeValue(name, text.slice(index + 1) || undefined);
      return;
    }
  }

  #takeValue(name: string, attached: string | undefined): void {
    const kind = this.#compiled.table.kinds.get(name);
    if (name === "-i" || name === "--replace") this.placeholder = attached ?? "{}";
    if (kind === "optional") return;
    const word = attached === undefined ? this.#words[this.next++] : undefined;
    const value = attached ?? word?.literal ?? null;
    const given = word ?? literalWord(attached ?? "", this.#span);
    if (kind === "directory") this.directory = given;
    if (kind === "program") this.text = given;
    if (value === null) this.#unclear(name);
    if (kind === "path" && word !== undefined) this.reads.push(word);
    else if (kind === "path") this.#unclear(name);
    if (name === "-I" || name === "-J") this.placeholder = value ?? undefined;
  }

  #unclear(what: string): void {
    const name = this.#words[0]?.text ?? "the wrapper";
    const sentence = `Runs another program through ${name} with ${what}, which isn't in the catalogue`;
    this.effects.push(
      makeEffect(this.#span, { kind: "executes", layer: "safe-binary", ruleId: "wrapper.unclear", sentence }),
    );
  }
}

function causes(wrapper: Wrapper, name: string, span: Span): Effect[] {
  if (wrapper.causes === "privilege") {
    const sentence = `Matches dangerous pattern: ${name} runs with other rights`;
    const about = { kind: "privilege", ruleId: "wrapper.privilege", sentence, own: true } as const;
    return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
  }
  const layer = "safe-binary";
  if (wrapper.causes === "process-control") {
    const sentence = `Runs a program with ${name}, which may outlive the command`;
    return [
      makeEffect(span, { kind: "process-control", layer, ruleId: "wrapper.process-control", sentence, own: true }),
    ];
  }
  if (wrapper.causes === undefined) return [];
  const sentence = `Runs a program with ${name}, where another program of that name may run`;
  return [makeEffect(span, { kind: "executes", layer, ruleId: "wrapper.other-programs", sentence })];
}
