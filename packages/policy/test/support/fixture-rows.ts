import assert from "node:assert/strict";
import { it } from "node:test";
import type { RiskLevel } from "@countersign/vocabulary";
import { classify } from "../../src/classify/classify.ts";
import type { Machine } from "../../src/model/machine.ts";
import { fixtureContext } from "./fixture-context.ts";

export function risk(command: string, changes: Partial<Machine> = {}): RiskLevel {
  return classify(command, fixtureContext(changes)).riskLevel;
}

/** Rows of one risk: a command is enough, the reason is in the name of the group. */
export function rows(name: string, wanted: RiskLevel, commands: readonly string[]): void {
  it(name, () => {
    for (const command of commands) assert.equal(risk(command), wanted, JSON.stringify(command));
  });
}
