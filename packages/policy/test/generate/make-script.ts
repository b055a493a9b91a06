import { deeper, type Growth, lineEnd } from "./growth.ts";
import { blank, makeRedirect, makeSimple } from "./make-command.ts";
import { makeWord } from "./make-word.ts";
import type { Random, Weighted } from "./random.ts";

type Production = (growth: Growth) => string;

const NAMES = ["i", "x", "file", "_a1"];
const TESTS = [
  "-n $x",
  "-z x",
  "a == b",
  "$x == a*",
  "a = b",
  "-f f && -d d",
  "! -e x",
  "( a || b )",
  "x =~ ^a+$",
  "1 -eq 2",
  "a < b",
  "-v x",
];
const ARITHMETIC = ["x=1", "x++", "1", "a[0]+1", "x>2 && y<3", " 1 + 2 ", "$x"];
const COMMENTS = ["# text", "#", "# ' \" ` $( {", "# \\", "# <<EOF"];

const COMPOUNDS: readonly Weighted<Production>[] = [
  [4, (growth) => `(${optional(growth)}${list(growth)}${optional(growth)})`],
  [4, (growth) => `{ ${body(growth)}}`],
  [3, (growth) => `if ${body(growth)}then ${body(growth)}${elseBranch(growth)}fi`],
  [3, (growth) => `for ${growth.random.pick(NAMES)}${loopWords(growth)}do ${body(growth)}done`],
  [2, (growth) => `${growth.random.pick(["while", "until"])} ${body(growth)}do ${body(growth)}done`],
  [2, makeCase],
  [2, ({ random }) => `[[ ${random.pick(TESTS)} ]]`],
  [1, ({ random }) => `((${random.pick(ARITHMETIC)}))`],
  [1, (growth) => `for ((i=0; i<3; i++))${separator(growth)}do ${body(growth)}done`],
  [2, makeFunction],
  [1, (growth) => `coproc ${growth.random.pick(["", "NAME "])}{ ${body(growth)}}`],
  [1, (growth) => `select i in a b; do ${body(growth)}done`],
];

/** Shell text of any shape, mostly valid. */
export function makeScript(random: Random, depth = 3): string {
  const growth: Growth = { random, depth, bodies: [], script: list };
  const text = list(growth);
  const comment = random.chance(0.04) ? ` ${random.pick(COMMENTS)}` : "";
  const end = growth.bodies.length > 0 || random.chance(0.1) ? lineEnd(growth) : "";
  return text + comment + end;
}

function list(growth: Growth): string {
  const { random } = growth;
  let text = makeAndOr(growth);
  const more = random.weighted([
    [6, 0],
    [3, 1],
    [1, 2],
  ] as const);
  for (let count = more; count > 0; count -= 1) text += separator(growth) + makeAndOr(growth);
  return text + (random.chance(0.06) ? random.pick([";", " &", " ;"]) : "");
}

function makeAndOr(growth: Growth): string {
  const { random } = growth;
  const parts = [makePipeline(growth), ...random.times(0, random.chance(0.25) ? 2 : 0, () => makePipeline(growth))];
  return parts.reduce(
    (text, part) => `${text}${optional(growth)}${random.pick(["&&", "||"])}${lineOrBlank(growth)}${part}`,
  );
}

function makePipeline(growth: Growth): string {
  const { random } = growth;
  const prefix = random.weighted([
    [30, ""],
    [1, "! "],
    [1, "time "],
    [1, "time -p "],
  ] as const);
  const parts = random.times(1, random.chance(0.3) ? 3 : 1, () => makeStage(growth));
  const joined = parts.reduce(
    (text, part) => `${text}${optional(growth)}${random.pick(["|", "|", "|", "|&"])}${lineOrBlank(growth)}${part}`,
  );
  return prefix + joined;
}

function makeStage(growth: Growth): string {
  const { random } = growth;
  if (growth.depth <= 0 || random.chance(0.75)) return makeSimple(growth);
  const compound = random.weighted(COMPOUNDS)(deeper(growth));
  return random.chance(0.15) ? `${compound} ${makeRedirect(growth)}` : compound;
}

/** Commands and what must end them before `do`, `then` or `}`. */
function body(growth: Growth): string {
  const text = list(growth);
  return /[;&]$/.test(text) ? `${text} ` : text + separator(growth);
}

function separator(growth: Growth): string {
  const { random } = growth;
  if (random.chance(0.05)) return ` ${random.pick(COMMENTS)}${lineEnd(growth)}`;
  if (growth.bodies.length > 0 || random.chance(0.2)) return lineEnd(growth);
  return random.pick(["; ", ";", " ; ", "; ", " & "]);
}

function optional(growth: Growth): string {
  return growth.random.chance(0.6) ? blank(growth) : "";
}

/** After an operator the line may end. */
function lineOrBlank(growth: Growth): string {
  return growth.random.chance(0.08) ? lineEnd(growth) : optional(growth);
}

function elseBranch(growth: Growth): string {
  const { random } = growth;
  const elif = random.chance(0.3) ? `elif ${body(growth)}then ${body(growth)}` : "";
  return elif + (random.chance(0.4) ? `else ${body(growth)}` : "");
}

function loopWords(growth: Growth): string {
  const { random } = growth;
  if (random.chance(0.1)) return random.pick([" ", "\n", "; "]);
  return ` in ${random.times(0, 3, () => makeWord(growth)).join(" ")}${random.pick(["; ", "\n"])}`;
}

function makeCase(growth: Growth): string {
  const { random } = growth;
  const items = random.times(0, 3, () => {
    const patterns = random.times(1, 2, () => makeWord(growth)).join(random.pick(["|", " | "]));
    const open = random.chance(0.3) ? "(" : "";
    const inside = random.chance(0.85) ? list(growth) : "";
    const end = growth.bodies.length > 0 ? lineEnd(growth) : "";
    return `${open}${patterns})${optional(growth)}${inside}${end}${random.pick([";;", " ;;", ";;\n", ";&", ";;&"])}`;
  });
  return `case ${makeWord(growth)} in ${items.join(" ")} esac`;
}

function makeFunction(growth: Growth): string {
  const { random } = growth;
  const name = random.pick(["f", "g", "ls", "my-fn"]);
  const head = random.pick([`${name}() `, `${name} ()\n`, `function ${name} `, `function ${name}() `]);
  return head + (random.chance(0.8) ? `{ ${body(growth)}}` : `(${list(growth)})`);
}
