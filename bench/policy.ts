// `npm run bench:policy`: how often the engine is right, what it costs, and how quiet a day is with it.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  ASSUMED_MACHINE,
  type Circumstances,
  classify,
  decide,
  type Entry,
  type Profile,
  readProfile,
} from "@countersign/policy";
import { readTrace } from "../packages/policy/corpus/read-trace.ts";
import { median, percentile } from "./rounds.ts";

interface Row {
  readonly cmd: string;
  readonly label: Label;
}

const LABELS = ["safe", "needs-review", "dangerous"] as const;
type Label = (typeof LABELS)[number];

const root = new URL("..", import.meta.url);
const CORPORA = [
  "../shared/data/commands/corpus-dev.jsonl",
  "packages/policy/corpus/second.jsonl",
  "packages/policy/corpus/third.jsonl",
];
const AT: Circumstances = { enforcement: "jail", attended: true, nowMs: 1 };

for (const name of CORPORA) reportCorpus(name);
reportDay();
reportCosts();

function reportCorpus(name: string): void {
  const url = new URL(name, root);
  if (!existsSync(url)) return console.log(`\n${name}: not there, left out`);
  const rows = readRows(url);
  const judged = rows.map((row) => ({ ...row, classification: classify(row.cmd, ASSUMED_MACHINE) }));
  console.log(`\n${name}: ${rows.length} commands\n`);
  console.log(["labelled", ...LABELS.map((risk) => `called ${risk}`)].map(pad).join(""));
  for (const label of LABELS) {
    const counts = LABELS.map(
      (risk) => judged.filter((row) => row.label === label && row.classification.riskLevel === risk).length,
    );
    console.log([label, ...counts.map(String)].map(pad).join(""));
  }
  for (const { cmd, label, classification } of judged) {
    if (classification.riskLevel === label) continue;
    console.log(
      `  ${label} → ${classification.riskLevel}: ${JSON.stringify(cmd)} (${classification.riskReasons[0] ?? "no reason"})`,
    );
  }
}

function reportDay(): void {
  const commands = readTrace(readFileSync(new URL("packages/policy/corpus/day.txt", root), "utf8"));
  const granted = { ...AT, allowed: { entries: [], grants: [{ root: ASSUMED_MACHINE.cwd }] } };
  for (const [name, at] of [
    ["without a grant", AT],
    ["with the effect grant", granted],
  ] as const) {
    const asked = commands.filter(
      (cmd) => decide(classify(cmd, ASSUMED_MACHINE), profileWith([]), at).verdict !== "allow",
    );
    const share = ((asked.length / commands.length) * 100).toFixed(1);
    console.log(`\nA day of ${commands.length} commands ${name}: ${share} asks for 100 (to reach with the grant: 3)`);
    if (name !== "without a grant") for (const cmd of asked) console.log(`  ${cmd.split("\n")[0]}`);
  }
}

function reportCosts(): void {
  const rows = CORPORA.map((name) => new URL(name, root))
    .filter((url) => existsSync(url))
    .flatMap(readRows);
  const times: number[] = [];
  for (let round = 0; round < 25; round += 1) {
    for (const { cmd } of rows) {
      const start = performance.now();
      classify(cmd, ASSUMED_MACHINE);
      // The first rounds pay for compiling.
      if (round >= 5) times.push((performance.now() - start) * 1_000);
    }
  }
  const [middle, high] = [median(times), percentile(times, 0.99)].map((one) => one.toFixed(0));
  console.log(`\nclassify: median ${middle} µs (to reach: 40), 99th percentile ${high} µs (250)`);
  const [few, many] = [10, 10_000].map((count) => timeDecisions(profileWith(makeEntries(count))));
  console.log(`decide with 10,000 entries: ${ratio(many, few)} × of 10 entries (to reach: 2)`);
  for (const piece of ["a; ", "ls -la src | grep x && ", "$(echo ", "x=1; ", "echo {a,b} "]) {
    const [short, long] = [4_000, 32_000].map((length) => timeClassify(piece.repeat(length / piece.length)));
    const share = ratio(long, short);
    console.log(`classify ${JSON.stringify(piece)} × 8: ${share} × the time, ${long?.toFixed(1)} ms (nothing over 50)`);
  }
}

function timeClassify(command: string): number {
  const runs = Array.from({ length: 9 }, () => {
    const start = performance.now();
    classify(command, ASSUMED_MACHINE);
    return performance.now() - start;
  });
  return median(runs);
}

function timeDecisions(profile: Profile): number {
  const classifications = ["git push origin HEAD", "npm test", "make all", "tool-7 build x"].map((cmd) =>
    classify(cmd, ASSUMED_MACHINE),
  );
  const decideAll = () => {
    for (const classification of classifications) decide(classification, profile, AT);
  };
  for (let round = 0; round < 200; round += 1) decideAll();
  const runs = Array.from({ length: 400 }, () => {
    const start = performance.now();
    decideAll();
    return performance.now() - start;
  });
  return median(runs);
}

function makeEntries(count: number): Entry[] {
  return Array.from({ length: count }, (_, n) => ({ pattern: `tool-${n} **` }));
}

function profileWith(allowlist: readonly Entry[]): Profile {
  const reading = readProfile({ execApproval: { allowlist } });
  if (!reading.ok) throw new Error(reading.problems.join("; "));
  return reading.profile;
}

function readRows(url: URL): Row[] {
  const lines = readFileSync(fileURLToPath(url), "utf8").split("\n").filter(Boolean);
  return lines.map((line): Row => JSON.parse(line));
}

function pad(text: string): string {
  return text.padEnd(22);
}

function ratio(one: number | undefined, other: number | undefined): string {
  return ((one ?? Number.NaN) / (other ?? Number.NaN)).toFixed(2);
}
