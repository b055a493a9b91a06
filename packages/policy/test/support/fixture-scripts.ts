/** Numbers that a seed decides, so that a failure can be seen again (xorshift). */
function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

const VARIABLES = ["x", "y", "z"];
const FUNCTIONS = ["f", "g"];
const LITERALS = [
  "a",
  "b",
  "-o",
  "src",
  "1",
  "2",
  "'a b'",
  "'*'",
  "''",
  '"-r"',
  "~",
  "~/q",
  "a\\ b",
  "$'c'",
  "08",
  "~$x/a",
];
/** They print their words where the test sees them. */
export const PROGRAMS = ["ls", "sort", "wc"];

/** What scripts hold besides: texts as values, and commands in which `V` stands for a variable and `W` for a word. */
export interface Spice {
  readonly texts: readonly string[];
  readonly commands: readonly string[];
}

/** Scripts that set variables and functions in every way that we follow, and use them as words of programs. */
export class ScriptWriter {
  readonly #random: () => number;
  readonly #spice: Spice | undefined;

  constructor(seed: number, spice?: Spice) {
    this.#random = randomFrom(seed);
    this.#spice = spice;
  }

  script(depth = 2): string {
    return this.#list(depth, depth + this.#below(2 * depth));
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }

  #do(makers: readonly (() => string)[]): string {
    return this.#pick(makers)();
  }

  #variable = () => this.#pick(VARIABLES);

  #literal = () =>
    this.#spice !== undefined && this.#random() < 0.5 ? this.#pick(this.#spice.texts) : this.#pick(LITERALS);

  #value = () =>
    this.#do([
      ...[this.#literal, this.#literal, this.#literal],
      () => `$${this.#variable()}`,
      () => `"$${this.#variable()}"`,
      () => `$${this.#variable()}$${this.#variable()}`,
      () => `\${${this.#variable()}:-${this.#pick(["a", "b", "-k", "~"])}}`,
      () => "$((1+2))",
      () => "$1",
      () => `\${${this.#variable()}%a}`,
      () => "$(echo a)",
      () => "$(wc -l)",
      () => "{a,b}",
    ]);

  #word = () =>
    this.#do([
      this.#literal,
      () => `$${this.#variable()}`,
      () => `$${this.#variable()}`,
      () => `"$${this.#variable()}"`,
      () => `$${this.#variable()}/a`,
      () => `$${this.#variable()}$${this.#variable()}`,
      () => `\${${this.#variable()}:-c}`,
      () => `"\${${this.#variable()}[@]}"`,
      () => `\${${this.#variable()}:1}`,
      () => `$${this.#variable()}{a,b}`,
      ...['"$@"', "$1", '"$2"', "$#", "$*", "$10", "{a,b}", "x{1..2}", "{,a}b"].map((word) => () => word),
    ]);

  #words = () => Array.from({ length: this.#below(3) }, this.#word).join(" ");

  #condition = () =>
    this.#do([
      ...["true", "false", "[ -e a ]", "ls"].map((condition) => () => condition),
      () => `[ "$${this.#variable()}" = a ]`,
      () => `[[ $${this.#variable()} == a* ]]`,
    ]);

  #list(depth: number, length = 1 + this.#below(3)): string {
    const statements = Array.from({ length }, () => this.#statement(depth));
    return statements.reduce((before, one) => before + this.#pick(["; ", "; ", "\n"]) + one);
  }

  #statement(depth: number): string {
    if (depth <= 0) return this.#simple();
    const inner = (length?: number) => this.#list(depth - 1, length);
    const one = () => this.#statement(depth - 1);
    const jump = () => this.#pick(["continue; ", "break; ", "", "true && continue; "]);
    const call = (name: string) => `${name} ${this.#words()}`;
    return this.#do([
      ...[this.#simple, this.#simple, this.#simple, this.#simple],
      () => `if ${this.#condition()}; then ${inner()}; else ${inner()}; fi`,
      () => `if ${inner(1)}; then ${inner()}; fi`,
      () => `for ${this.#variable()} in ${this.#words()}; do ${inner()}; done`,
      () => `for n in 1 2 3; do ${inner()}; ${jump()}${inner(1)}; done`,
      () => `for ((n=0; n<2; n++)); do ${inner()}; done`,
      () => `n=0; while [ $n -lt 3 ]; do n=$((n+1)); ${jump()}${inner()}; done`,
      () => `while read -r ${this.#variable()}; do ${inner()}; done <<< ${this.#value()}`,
      () => `case ${this.#word()} in a) ${inner()};; *) ${inner()};; esac`,
      () => `{ ${inner()}; }`,
      () => `( ${inner()} )`,
      () => `${one()} && ${one()}`,
      () => `${one()} || ${one()}`,
      () => `${this.#simple()} || ${this.#simple()} && ${this.#simple()}`,
      () => `${this.#simple()} | ${one()}`,
      () => `! ${one()}`,
      () => {
        const name = this.#pick(FUNCTIONS);
        const local = this.#pick(["", `local x=${this.#value()}; `, "local y; "]);
        return `${name}() { ${local}${inner()}; }; ${call(name)}; ${this.#pick(["", call(name)])} true`;
      },
      () => {
        const name = this.#pick(PROGRAMS);
        return `${name}() { ${this.#list(0).replaceAll(name, "true")}; }; ${call(name)}`;
      },
    ]);
  }

  #simple = (): string => {
    const set = () => `${this.#variable()}=${this.#value()}`;
    const exotic = [
      () => `local ${set()}`,
      () => `readonly ${this.#variable()}`,
      () => `$${this.#variable()}`,
      () => `: \${${this.#variable()}:=${this.#literal()}}`,
      () => `${set()} true`,
      () => `((++${this.#variable()}))`,
      () => `${this.#pick(FUNCTIONS)} ${this.#words()}`,
      () => `unset -f ${this.#pick(FUNCTIONS)}`,
    ];
    if (this.#spice !== undefined && this.#random() < 0.4) {
      const command = this.#pick(this.#spice.commands);
      return command.replaceAll("V", this.#variable).replaceAll("W", this.#word);
    }
    if (this.#random() < 0.03) return this.#do(exotic);
    return this.#do([
      ...[set, set, () => `${set()} ${set()}`, () => `${this.#variable()}+=${this.#value()}`],
      () => `${this.#pick(PROGRAMS)} ${this.#words()}`,
      () => `ls ${this.#word()}`,
      () => `ls "$${this.#variable()}" $${this.#variable()}`,
      () => `wc $${this.#variable()}`,
      () => `command sort ${this.#word()}`,
      () => `${this.#variable()}=(${this.#words()})`,
      () => `${this.#variable()}+=(${this.#words()})`,
      () => `${this.#variable()}[1]=${this.#literal()}`,
      () => `read -r ${this.#variable()} <<< ${this.#value()}`,
      () => `mapfile -t ${this.#variable()} <<< ${this.#literal()}`,
      () => `printf -v ${this.#variable()} %s ${this.#word()}`,
      () => `unset ${this.#variable()}`,
      () => `declare ${set()}`,
      () => `declare ${this.#variable()}`,
      () => `set -- ${this.#words()}`,
      () => `((${this.#variable()}=5))`,
      () => `let ${this.#variable()}=3`,
      () => this.#pick(["IFS=,", "IFS=", "IFS=1", "x=1,2", "y=$((11+2))"]),
      () => `: \${${this.#variable()}:1:1}`,
      () => `bash -c 'y=${this.#pick(["a", "$1", "$x"])}; ls $y "$@"' _ ${this.#words()}`,
      ...["shift", "shift 2", "set -e", "set -u", ": $((1/0))", "return", "true", "false"].map((text) => () => text),
    ]);
  };
}
