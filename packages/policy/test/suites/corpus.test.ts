import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import { decide } from "../../src/decide/decide.ts";
import { deriveEntries } from "../../src/entries/derive.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../support/fixture-profile.ts";

const CORPUS = new URL("../../../../../shared/data/commands/corpus-dev.jsonl", import.meta.url);

interface Row {
  readonly cmd: string;
  readonly label: "safe" | "needs-review" | "dangerous";
}

function readCorpus(): Row[] {
  const lines = readFileSync(CORPUS, "utf8").split("\n").filter(Boolean);
  return lines.map((line): Row => JSON.parse(line));
}

it("no command of the corpus that isn't safe is called safe", (test) => {
  if (!existsSync(CORPUS)) return test.skip(`no corpus at ${CORPUS.pathname}`);
  const rows = readCorpus();
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

it("what allow-always saves lets its own command through, and no other that is dangerous", (test) => {
  if (!existsSync(CORPUS)) return test.skip(`no corpus at ${CORPUS.pathname}`);
  const context = fixtureContext();
  const at = fixtureCircumstances();
  const rows = readCorpus().map((row) => ({ ...row, classification: classify(row.cmd, context) }));
  const unsafe = rows.filter((row) => row.classification.riskLevel !== "safe");
  const dangerous = unsafe.filter((row) => row.label === "dangerous");
  for (const row of unsafe) {
    const { entries, note } = deriveEntries(row.classification, { roots: context.roots });
    if (entries.length === 0) continue;
    const profile = fixtureProfile({ allowlist: [...entries] });
    if (note === undefined) assert.equal(decide(row.classification, profile, at).verdict, "allow", row.cmd);
    for (const other of dangerous) {
      if (other.cmd === row.cmd) continue;
      assert.equal(decide(other.classification, profile, at).verdict, "ask", `${row.cmd} → ${other.cmd}`);
    }
  }
});
