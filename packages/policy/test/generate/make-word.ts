import { deeper, type Growth, nested } from "./growth.ts";
import type { Weighted } from "./random.ts";

type Piece = (growth: Growth) => string;

const TEXTS =
  "a b x1 foo bar src lib/x.ts ./y README.md -n -la --all --lines=5 -o -- - . .. / 1 42 EOF do in if then fi = a=b x+=1 % @ : , + ^ é 日本 _".split(
    " ",
  );
const VARIABLES = "x y HOME PWD 1 @ * # ? $ ! - 0 _".split(" ");
const ESCAPED = [" ", "\\", "$", "`", '"', "'", "*", "?", "[", "(", ")", "<", ">", "|", "&", ";", "#", "~", "a", "\t"];
const INSIDE_SINGLE = ["a", " ", "$x", "$(b)", "`", '"', "\\", "*", "#", ";", "\n", "|", "é", "\t", "}", ")"];
const INSIDE_DOUBLE = [
  "a",
  " ",
  "'",
  "#",
  ";",
  "*",
  "\\$",
  "\\`",
  '\\"',
  "\\\\",
  "\\a",
  "\\\n",
  "\n",
  "~",
  "!",
  ")",
  "}",
];
const INSIDE_ANSI = [
  "a",
  " ",
  "\\n",
  "\\t",
  "\\x41",
  "\\101",
  "\\u00e9",
  "\\\\",
  "\\'",
  '"',
  "\\e",
  "\\cG",
  "\\z",
  "#",
];
const OPERATIONS = [
  ...":-a -a :=a =a :?a ?a :+a +a #a ##a %a %%a /a/b //a/b /#a/b /%a/b :1 :1:2 :-1 ^ ^^ , ,, @Q @P @U".split(" "),
  ": -1",
  ":-$y",
  ":-'}'",
  ':-"}"',
  ":-\\}",
];
const ARITHMETIC = ["1+2", "x", "x + 1", "(1)", "a[0]", "x++", "1<<2", "x ? 1 : 2", "$x*3", " 1 ", "x=1, y=2", "2#1"];
const GLOBS = ["*", "?", "[a-z]", "[!a]", "[]x]", "[[:alpha:]]", "**", "[", "]"];
const BRACES = ["{a,b}", "{1..3}", "{a,{b,c}}", "{,x}", "{a", "{}", "a}", "{a b", "{x,$y}"];

const EXPANSIONS: readonly Weighted<Piece>[] = [
  [8, ({ random }) => `$${random.pick(VARIABLES)}`],
  [6, ({ random }) => `\${${random.pick(VARIABLES)}}`],
  [6, ({ random }) => `\${x${random.pick(OPERATIONS)}}`],
  [1, ({ random }) => `\${${random.pick(["#x", "!x", "x[0]", "x[@]", "#x[@]", "!x*", "!x@", "x[$y]"])}}`],
  [3, ({ random }) => `$((${random.pick(ARITHMETIC)}))`],
  [0.3, ({ random }) => `$[${random.pick(ARITHMETIC)}]`],
  [1, (growth) => (growth.depth > 0 ? `\${x:-${makeWord(deeper(growth))}}` : "${x:-}")],
  [5, (growth) => (growth.depth > 0 ? `$(${guardParenthesis(nested(growth))})` : "$(a)")],
  [3, (growth) => (growth.depth > 0 ? `\`${escapeBackticks(nested(growth))}\`` : "`a`")],
];

const PIECES: readonly Weighted<Piece>[] = [
  [40, ({ random }) => random.pick(TEXTS)],
  [6, ({ random }) => `\\${random.pick(ESCAPED)}`],
  [8, ({ random }) => `'${random.times(0, 4, () => random.pick(INSIDE_SINGLE)).join("")}'`],
  [8, (growth) => `"${growth.random.times(0, 4, () => insideDouble(growth)).join("")}"`],
  [2, ({ random }) => `$'${random.times(0, 4, () => random.pick(INSIDE_ANSI)).join("")}'`],
  [1, (growth) => `$"${growth.random.times(0, 2, () => insideDouble(growth)).join("")}"`],
  [10, (growth) => growth.random.weighted(EXPANSIONS)(growth)],
  [3, ({ random }) => random.pick(GLOBS)],
  [2, ({ random }) => random.pick(BRACES)],
  [1, ({ random }) => random.pick(["~", "~/x", "~me", "~+", "a=~", "a:~"])],
  [0.2, () => "\\\n"],
  [0.1, ({ random }) => random.pick(["@(a|b)", "!(a)", "+(a)", "?(a)", "*(a|b)"])],
  [
    1,
    ({ random }) => random.pick(["#", "a#b", "!", "!!", "{", "}", "[[", "]]", "$", "time", "case", "esac", "function"]),
  ],
];

/** A word of one to three pieces, each in a quoting form of its own, or a process substitution. */
export function makeWord(growth: Growth): string {
  const { random } = growth;
  if (growth.depth > 0 && random.chance(0.03)) return `${random.pick(["<", ">"])}(${guardParenthesis(nested(growth))})`;
  const count = random.weighted([
    [14, 1],
    [5, 2],
    [2, 3],
  ] as const);
  return random.times(count, count, () => random.weighted(PIECES)(growth)).join("");
}

function insideDouble(growth: Growth): string {
  const { random } = growth;
  return random.chance(0.3) ? random.weighted(EXPANSIONS)(growth) : random.pick(INSIDE_DOUBLE);
}

/** `$((a); b)` would begin arithmetic; mostly that isn't what is meant. */
function guardParenthesis(script: string): string {
  return script.startsWith("(") ? ` ${script}` : script;
}

function escapeBackticks(script: string): string {
  return script.replace(/[\\`]/g, "\\$&");
}
