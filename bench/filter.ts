import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filterSecrets, SECRET_ANCHORS } from "@countersign/core/redaction";

const SIZE = 1_000_000;
const ROUNDS = 7;

/** What programs print: source code, a lock file, a log, text beyond ASCII. */
function ordinary(): [string, string][] {
  const root = join(import.meta.dirname, "..");
  const sources = join(root, "packages/hub/src");
  const code = readdirSync(sources).map((name) => readFileSync(join(sources, name), "utf8"));
  const lines = Array.from(
    { length: 20_000 },
    (_, index) => `12:00:${index % 60} INFO GET /items/${index} 200 in 3 ms`,
  );
  return [
    ["source code", code.join("\n")],
    ["a lock file", readFileSync(join(root, "package-lock.json"), "utf8")],
    ["a log", lines.join("\n")],
    [
      "a coloured log",
      lines.map((line) => `\x1b[2m${line.replace("INFO", "\x1b[32mINFO\x1b[39m")}\x1b[22m`).join("\n"),
    ],
    ["not ASCII", "Größe und Länge ändern sich; 日本語のテキスト。\n"],
  ];
}

/** Every anchor, again and again, in the ways that make a rule look furthest before it gives up. */
function* adversarial(): Generator<[string, string]> {
  const ways = ["", " ", "a", "=", '="a', "=$", ": ", "\n", `${"aB3".repeat(6)}.`, `="$${"a".repeat(100)}`];
  for (const anchor of SECRET_ANCHORS) for (const way of ways) yield [JSON.stringify(anchor + way), anchor + way];
  for (const coloured of ["\x1b[m", "\x1b[", "\x1b", "a\x1b[31m", "_\x1b[mtoken\x1b[K=", `\x1b[${"1;".repeat(16)}`]) {
    yield [JSON.stringify(coloured), coloured];
  }
}

/** By the processor's time: other programs on this machine don't count. The best of some rounds, once it is warm. */
function megabytesPerSecond(piece: string, size: number): number {
  // A flat string, as it comes from a decoder.
  const text = Buffer.from(piece.repeat(Math.ceil(size / piece.length)).slice(0, size)).toString("utf8");
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    filterSecrets(text);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, user + system);
  }
  return Buffer.byteLength(text) / best;
}

console.log(`filterSecrets, the best of ${ROUNDS} rounds by processor time:`);
for (const [name, piece] of ordinary()) {
  console.log(`  ${name}: ${megabytesPerSecond(piece, 4 * SIZE).toFixed(0)} MB/s (to reach: ≥ 80)`);
}
const slowest = [...adversarial()]
  .map(([name, piece]) => ({ name, speed: megabytesPerSecond(piece, SIZE / 5) }))
  .sort((a, b) => a.speed - b.speed);
console.log(`  ${slowest.length} adversarial texts, the slowest (to reach: ≥ 5):`);
for (const { name, speed } of slowest.slice(0, 5)) console.log(`    ${name}: ${speed.toFixed(1)} MB/s`);
