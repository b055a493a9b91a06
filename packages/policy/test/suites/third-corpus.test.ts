import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { RISK_LEVELS, type RiskLevel } from "@countersign/vocabulary";
import { classify } from "../../src/classify/classify.ts";
import { ASSUMED_MACHINE } from "../../src/model/machine.ts";

interface Row {
  readonly cmd: string;
  readonly label: RiskLevel;
  readonly class: string;
  readonly why: string;
}

interface Miss {
  readonly cmd: string;
  readonly called: RiskLevel;
  readonly why: string;
}

const OTHERS = ["../../corpus/second.jsonl", "../../../../../shared/data/commands/corpus-dev.jsonl"];
const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const readRows = (name: string) =>
  read(name)
    .split("\n")
    .filter(Boolean)
    .map((line): Row => JSON.parse(line));
const rows = readRows("../../corpus/third.jsonl");
const misses: readonly Miss[] = JSON.parse(read("../../corpus/third-misses.json"));
const judged = rows.map((row) => ({ ...row, called: classify(row.cmd, ASSUMED_MACHINE).riskLevel }));

it("no command of the third corpus that isn't safe is called safe", () => {
  assert.deepEqual(
    judged.filter((row) => row.label !== "safe" && row.called === "safe").map((row) => row.cmd),
    [],
  );
});

it("the third corpus comes out as it is labelled, but for the misses that are named", (test) => {
  const wrong = judged.filter((row) => row.label !== row.called).map(({ cmd, called }) => ({ cmd, called }));
  assert.deepEqual(
    wrong,
    misses.map(({ cmd, called }) => ({ cmd, called })),
  );
  for (const { cmd, why } of misses) assert.ok(why.length > 10, cmd);
  for (const label of RISK_LEVELS) {
    const all = judged.filter((row) => row.label === label);
    test.diagnostic(`${label}: ${all.filter((row) => row.called === label).length} of ${all.length}`);
  }
});

it("the third corpus holds no command twice, and none of the others", () => {
  const others = OTHERS.filter((name) => existsSync(new URL(name, import.meta.url))).flatMap(readRows);
  const seen = new Set(others.map((row) => row.cmd));
  const again = rows.filter(({ cmd }) => seen.size === seen.add(cmd).size);
  assert.deepEqual(again, []);
});
