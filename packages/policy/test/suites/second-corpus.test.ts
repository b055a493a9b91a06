import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { readTrace } from "../../corpus/read-trace.ts";
import { classify } from "../../src/classify/classify.ts";
import { decide } from "../../src/decide/decide.ts";
import { ASSUMED_MACHINE } from "../../src/model/machine.ts";
import { fixtureCircumstances, fixtureProfile } from "../support/fixture-profile.ts";

interface Row {
  readonly cmd: string;
  readonly label: "safe" | "needs-review" | "dangerous";
  /** False where an equal expert could give another label. */
  readonly sure?: false;
}

const read = (name: string) => readFileSync(new URL(`../../corpus/${name}`, import.meta.url), "utf8");
const rows = read("second.jsonl")
  .split("\n")
  .filter(Boolean)
  .map((line): Row => JSON.parse(line));
const judged = rows.map((row) => ({ ...row, risk: classify(row.cmd, ASSUMED_MACHINE).riskLevel }));
const sure = judged.filter((row) => row.sure !== false);

/** Shares below which something was lost; what was reached is printed. */
function holds(label: Row["label"], share: number): string {
  const all = sure.filter((row) => row.label === label);
  const right = all.filter((row) => row.risk === label).length;
  assert.ok(right >= all.length * share, `${label}: ${right} of ${all.length}`);
  return `${label}: ${right} of ${all.length}`;
}

it("no command of the second corpus that isn't safe is called safe", () => {
  assert.ok(rows.length >= 300);
  assert.deepEqual(
    sure.filter((row) => row.label !== "safe" && row.risk === "safe").map((row) => row.cmd),
    [],
  );
});

it("the second corpus comes out as its experts say", (test) => {
  const overstated = sure.filter((row) => row.label !== "dangerous" && row.risk === "dangerous");
  assert.ok(overstated.length <= sure.length * 0.02, overstated.map((row) => row.cmd).join("\n"));
  test.diagnostic(`${holds("safe", 0.97)}; ${holds("dangerous", 0.97)}; overstated: ${overstated.length}`);
});

it("a day of work asks seldom with an effect grant", (test) => {
  const commands = readTrace(read("day.txt"));
  assert.ok(commands.length >= 200);
  const at = fixtureCircumstances({ allowed: { entries: [], grants: [{ root: ASSUMED_MACHINE.cwd }] } });
  const asked = commands.filter(
    (cmd) => decide(classify(cmd, ASSUMED_MACHINE), fixtureProfile(), at).verdict !== "allow",
  );
  test.diagnostic(`${asked.length} asks in ${commands.length} commands`);
  assert.ok(asked.length <= commands.length * 0.03, asked.join("\n"));
});
