import assert from "node:assert/strict";
import { it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import { decide } from "../../src/decide/decide.ts";
import { fixtureContext } from "./fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "./fixture-profile.ts";

/** A command, its verdict in a jail and without one. */
export type VerdictRow = readonly [command: string, jail: "allow" | "ask", none: "allow" | "ask"];

export function verdictOf(command: string, enforcement: "jail" | "none"): string {
  return decide(classify(command, fixtureContext()), fixtureProfile(), fixtureCircumstances({ enforcement })).verdict;
}

export function verdictRows(rows: readonly VerdictRow[]): void {
  for (const [command, jail, none] of rows)
    it(`${command}: ${jail} in a jail, ${none} without`, () =>
      assert.deepEqual([verdictOf(command, "jail"), verdictOf(command, "none")], [jail, none]));
}
