import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { classify } from "./classify.ts";
import { fixtureContext } from "./fixture-context.ts";

const CORPUS = new URL("../../../../shared/data/commands/corpus-dev.jsonl", import.meta.url);

interface Row {
  readonly cmd: string;
  readonly label: "safe" | "needs-review" | "dangerous";
}

it("no command of the corpus that isn't safe is called safe", (test) => {
  if (!existsSync(CORPUS)) return test.skip(`no corpus at ${CORPUS.pathname}`);
  const rows = readFileSync(CORPUS, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): Row => JSON.parse(line));
  const context = fixtureContext();
  const called = rows.map((row) => ({ ...row, risk: classify(row.cmd, context).riskLevel }));
  assert.deepEqual(
    called.filter((row) => row.label !== "safe" && row.risk === "safe"),
    [],
  );
  const share = (label: Row["label"]) => {
    const all = called.filter((row) => row.label === label);
    return `${all.filter((row) => row.risk === label).length} of ${all.length}`;
  };
  const overstated = called.filter((row) => row.label !== "dangerous" && row.risk === "dangerous");
  test.diagnostic(
    `safe passed: ${share("safe")}; dangerous recalled: ${share("dangerous")}; overstated: ${overstated.length}`,
  );
  assert.ok(called.some((row) => row.label === "safe" && row.risk === "safe"));
});
