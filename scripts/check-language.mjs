// Counts phrases that aren't plain English (CONTRIBUTING.md, "How we write") and fails when an area has more of them than language-baseline.json allows.
//   --list <path>   print each one below the path
//   --write         set the baseline to today's counts, if their sum has fallen
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const BASELINE = new URL("language-baseline.json", import.meta.url);
const FILES = ["{packages,test,bench,scripts,docs}/**/*.{ts,tsx,mjs,js,md}", "*.md"];
/** Frozen bytes, shell commands that tests try, and what this script itself names. */
const EXEMPT =
  /node_modules|\/dist\/|\/corpus\/|\/frozen\/|\/testdata\/|\/suites\/|^scripts\/check-language|^CHANGELOG|^CONTRIBUTING/;

/** Words and phrases of comments, messages and documents. */
const PHRASES = [
  "whatever|whoever|whichever|whenever it",
  "stands? (?:in|at|there|for|apart|beside|before)",
  "told|tells?(?= (?:of|it|that|what|where|nobody|apart))",
  "good for|let in|lets in|taken for|the like|lets? go of|mend(?:s|ed|ing)?",
  "a hub of this|countersign's things",
  "also where|as far as|all the same|meanwhile|for good|so many|in its place|by itself|by themselves",
  "held against|holds? against|keeps? away|takes? away|anew|turn(?:s|ed)? away|go(?:es)? round",
  "nobody (?:hears|knows|else|has)",
  "what (?:waits|was|is|runs|goes|comes|can|isn't|can't|stands|follows|it (?:is|was|has|says))",
  "that (?:there's|there is) no|wherever|besides|beside",
];
/** Names that no field knows, in prose and inside of identifiers. */
const NAMES = [
  "rooms?",
  "doors?",
  "desks?",
  "shel(?:f|ves)",
  "ears?",
  "errands?",
  "ladders?",
  "flights?(?! recorder)",
  "stances?",
  "partings?",
  "lends?|lent",
];

const MOST_WORDS = 30;

const phrase = new RegExp(`\\b(?:${PHRASES.join("|")})\\b`, "gi");
const nouns = NAMES.join("|");
const capital = nouns.replace(/(^|\|)([a-z])/g, (_, before, letter) => before + letter.toUpperCase());
/** As a word, or as a part of a camel-case name. */
const name = new RegExp(`(?:\\b(?:${nouns}|${capital})|(?<=[a-z])(?:${capital}))(?![a-z])`, "g");

/** Comments and the prose of a document: what sentences are looked for in. */
function proseOf(file, text) {
  if (file.endsWith(".md")) return text.replace(/^```.*?^```/gms, "").split(/\n(?:\n|[-|#])/);
  const comments = text.match(/\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm) ?? [];
  return comments.map((comment) => comment.replace(/^[ \t]*(?:\/\*\*|\*\/|\*|\/\/)/gm, ""));
}

function findIn(file) {
  const text = readFileSync(root + file, "utf8");
  const lineAt = (index) => text.slice(0, index).split("\n").length;
  const words = [...text.matchAll(phrase), ...text.matchAll(name)].map(
    (match) => `${file}:${lineAt(match.index)}: ${match[0]}`,
  );
  const sentences = proseOf(file, text).flatMap((prose) => prose.split(/(?<=[.:;?!])\s+/));
  const long = sentences.filter((sentence) => sentence.trim().split(/\s+/).length > MOST_WORDS);
  return [
    ...words,
    ...long.map((sentence) => `${file}: a sentence of over ${MOST_WORDS} words: ${sentence.trim().slice(0, 60)}…`),
  ];
}

const areaOf = (file) =>
  file.includes("/")
    ? file
        .split("/")
        .slice(0, file.startsWith("packages/") ? 2 : 1)
        .join("/")
    : "pages";

const [option, path = ""] = process.argv.slice(2);
const files = globSync(FILES, { cwd: root, exclude: (entry) => /node_modules|dist$/.test(entry) }).filter(
  (file) => !EXEMPT.test(file),
);
if (option === "--list") {
  for (const file of files.filter((one) => one.startsWith(path))) for (const found of findIn(file)) console.log(found);
  process.exit();
}

const counts = {};
for (const file of files.sort()) counts[areaOf(file)] = (counts[areaOf(file)] ?? 0) + findIn(file).length;
const sumOf = (areas) => Object.values(areas).reduce((all, count) => all + count, 0);
const allowed = JSON.parse(readFileSync(BASELINE, "utf8"));
console.log(
  `${sumOf(counts)} phrases that aren't plain English (CONTRIBUTING.md, "How we write"); ${sumOf(allowed)} allowed.`,
);
if (option === "--write") {
  if (sumOf(counts) > sumOf(allowed)) process.exit(1);
  writeFileSync(BASELINE, `${JSON.stringify(counts, null, 2)}\n`);
  process.exit();
}
const more = Object.keys(counts).filter((area) => counts[area] > (allowed[area] ?? 0));
for (const area of more)
  console.error(
    `${area}: ${counts[area]}, ${allowed[area] ?? 0} allowed. See: node scripts/check-language.mjs --list ${area}`,
  );
process.exit(more.length > 0 ? 1 : 0);
