import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { RiskLevel } from "@countersign/vocabulary";
import { readTrace } from "../../corpus/read-trace.ts";
import { TABLES } from "../../src/catalog/tables.ts";
import { classify } from "../../src/classify/classify.ts";
import type { Effect } from "../../src/model/effect.ts";
import { ASSUMED_MACHINE } from "../../src/model/machine.ts";
import { assess } from "../../src/profile/assess.ts";

/** The frozen verdict on one command: its risk in a jail and without one, and its effects without their sentences. */
export interface Row {
  /** The command, or `sha256:<hex>` of it where its text is kept outside of the repository. */
  readonly command: string;
  readonly jail: RiskLevel;
  readonly none: RiskLevel;
  readonly effects: readonly string[];
}

const CORPORA = ["../../corpus/second.jsonl", "../../corpus/third.jsonl"];
const DAY = new URL("../../corpus/day.txt", import.meta.url);
const SHARED = new URL("../../../../../shared/data/commands/corpus-dev.jsonl", import.meta.url);

/** Returns every command of our corpora and of the tables' examples, once each, sorted. */
export function ownCommands(): string[] {
  const corpora = CORPORA.flatMap((name) => readCorpus(new URL(name, import.meta.url)));
  const day = readTrace(readFileSync(DAY, "utf8"));
  return [...new Set([...corpora, ...day, ...examplesIn(TABLES)])].sort();
}

/** Returns the shared corpus's commands, or undefined where that corpus isn't next to the repository. */
export function sharedCommands(): string[] | undefined {
  return existsSync(SHARED) ? [...new Set(readCorpus(SHARED))].sort() : undefined;
}

export function freeze(command: string): Row {
  const classification = classify(command, ASSUMED_MACHINE);
  return {
    command,
    jail: assess(classification, "jail").riskLevel,
    none: assess(classification, "none").riskLevel,
    effects: classification.effects.map(writeEffect),
  };
}

export function nameByHash(command: string): string {
  return `sha256:${createHash("sha256").update(command).digest("hex")}`;
}

function writeEffect(effect: Effect): string {
  const { kind, ruleId, risk, span, target, own, reliesOnJail, floor } = effect;
  const marks = [own ? "" : " not-own", reliesOnJail ? " relies-on-jail" : "", floor ? " floor" : ""].join("");
  return `${kind} ${ruleId} ${risk} ${span.pos}-${span.end}${marks}${target === undefined ? "" : ` ${target}`}`;
}

function readCorpus(file: URL): string[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line): string => JSON.parse(line).cmd);
}

/** Collects the strings in every object called `examples`, wherever in the tables it is. */
function examplesIn(value: unknown, within = false): string[] {
  if (typeof value === "string") return within ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => examplesIn(inner, within || key === "examples"));
}
