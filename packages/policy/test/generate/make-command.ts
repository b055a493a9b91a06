import { deeper, type Growth } from "./growth.ts";
import { makeWord } from "./make-word.ts";
import type { Weighted } from "./random.ts";

const COMMANDS = "ls cat grep echo git rm a b foo ./x /bin/ls : true [ test printf env xargs time nice bash".split(" ");
const TARGETS = ["/dev/null", "out", "a.txt", "&1", "$x", '"a b"', "'x'", "/etc/passwd", "-", "1", "~/x", "*.txt"];
const DELIMITERS = ["EOF", "'EOF'", '"EOF"', "\\EOF", "E\\OF", "a", "-", "END_1", "'a b'"];
const BODIES = [
  "",
  "text",
  "$x",
  "$(id)",
  "`id`",
  "\ttabbed",
  "${x:-y}",
  "a \\",
  "'",
  '"',
  "\\$x",
  "EOF ",
  " EOF",
  "((",
  "日本",
];

/** Blanks between words: mostly one, and every other form that bash takes for one. */
export function blank({ random }: Growth): string {
  return random.weighted([
    [30, " "],
    [2, "  "],
    [1, "\t"],
    [1, " \\\n"],
    [1, "\\\n "],
  ] as const);
}

const REDIRECTS: readonly Weighted<(growth: Growth) => string>[] = [
  [6, (growth) => `${descriptor(growth)}${growth.random.pick([">", ">>", "<", "<>", ">|"])}${target(growth)}`],
  [4, ({ random }) => random.pick(["2>&1", ">&2", "1>&2", "2>&-", "<&-", "3>&1", "<&3", ">&-", "2>&1-"])],
  [2, (growth) => `${growth.random.pick(["&>", "&>>", ">&"])}${target(growth)}`],
  [2, (growth) => `${descriptor(growth)}<<<${optionalBlank(growth)}${makeWord(deeper(growth))}`],
  [2, (growth) => announceDocument(growth)],
];

/** A simple command: assignments, words and redirections in the orders that bash allows. */
export function makeSimple(growth: Growth): string {
  const { random } = growth;
  const words: string[] = [];
  if (random.chance(0.12)) words.push(...random.times(1, 2, () => makeAssignment(growth)));
  if (random.chance(0.04)) words.push(makeRedirect(growth));
  if (words.length === 0 || random.chance(0.9)) {
    words.push(random.chance(0.8) ? random.pick(COMMANDS) : makeWord(growth));
    words.push(...random.times(0, 4, () => makeWord(growth)));
  }
  if (random.chance(0.2)) words.splice(1 + random.below(words.length), 0, makeRedirect(growth));
  return words.reduce((text, word) => `${text}${blank(growth)}${word}`);
}

export function makeRedirect(growth: Growth): string {
  return growth.random.weighted(REDIRECTS)(growth);
}

function makeAssignment(growth: Growth): string {
  const { random } = growth;
  const name = random.pick(["x", "FOO", "LC_ALL", "PATH", "a[0]", "a[$x]"]);
  const value = random.weighted([
    [8, () => makeWord(deeper(growth))],
    [2, () => ""],
    [1, () => `(${random.times(0, 3, () => makeWord(deeper(growth))).join(" ")})`],
  ] as const)();
  return `${name}${random.pick(["=", "=", "=", "+="])}${value}`;
}

function descriptor({ random }: Growth): string {
  return random.weighted([
    [10, ""],
    [4, "2"],
    [1, "10"],
    [1, "{fd}"],
    [1, "0"],
  ] as const);
}

function target(growth: Growth): string {
  const { random } = growth;
  return optionalBlank(growth) + (random.chance(0.8) ? random.pick(TARGETS) : makeWord(deeper(growth)));
}

function optionalBlank(growth: Growth): string {
  return growth.random.chance(0.5) ? blank(growth) : "";
}

function announceDocument({ random, bodies }: Growth): string {
  const delimiter = random.pick(DELIMITERS);
  const strip = random.chance(0.3);
  const end = delimiter.replace(/['"\\]/g, "");
  const lines = random.times(0, 3, () => random.pick(BODIES)).map((line) => (strip ? `\t${line}` : line));
  const indent = strip && random.chance(0.5) ? "\t" : "";
  bodies.push([...lines, `${indent}${end}`].map((line) => `${line}\n`).join(""));
  return `${strip ? "<<-" : "<<"}${random.chance(0.3) ? " " : ""}${delimiter}`;
}
