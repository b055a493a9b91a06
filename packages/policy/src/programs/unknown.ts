import type { EffectKind, RiskLevel } from "@countersign/vocabulary";
import { DELETERS, DOWNLOADERS } from "../catalog/index.ts";
import { type Effect, MAX_TARGETS, makeEffect, type Word } from "../model/index.ts";
import { isKeptBySystem, type PathSite } from "../paths/index.ts";
import type { Identified } from "./identify.ts";
import { deletes, findTargets, judgeMovedAway, judgeOutputs, judgeWrites } from "./operands.ts";
import { judgePlaces } from "./places.ts";

interface Surroundings {
  readonly site: PathSite;
  /** A pattern already describes what the program does. */
  readonly described: boolean;
  /** The effect of a use that the catalogue's entry doesn't include. */
  readonly beyond?: Effect;
}

/**
 * Judges a program that isn't in the catalogue, which is never safe. An entry may cover its own effect, but never words
 * that aren't literal.
 */
export function judgeUnknown(
  identified: Identified,
  words: readonly Word[],
  { site, described, beyond }: Surroundings,
): Effect[] {
  const { name } = identified;
  const make = (kind: EffectKind, about: About): Effect =>
    makeEffect(site.span, { kind, layer: "safe-binary", own: true, ...about });
  const effects = judgeOpenWords(name, words, site);
  if (identified.program === undefined) {
    const sentence = `Runs ${name || "an empty name"}, which isn't on the trusted PATH`;
    effects.push(make("executes", { ruleId: "program.untrusted", sentence, own: false }));
  }
  const places = DELETERS.includes(name) ? [] : judgePlaces(name, words, site);
  effects.push(...places, ...judgeOutputs(name, words, site));
  if (described) return effects;
  const reaches = places.some((effect) => effect.kind === "network-read");
  return [...effects, ...describe(identified, words, { site, make, reaches, beyond })];
}

/** Returns an effect for words that aren't literal: an unknown program may use them in any way. */
function judgeOpenWords(name: string, words: readonly Word[], site: PathSite): Effect[] {
  const open = words.find((word) => word.literal === null);
  if (open === undefined) return [];
  const sentence = `Passes ${open.text} to ${name}, and its value is only known when it runs`;
  return [
    makeEffect(site.span, { kind: "obfuscation", layer: "safe-binary", ruleId: "operand.not-literal", sentence }),
  ];
}

interface About {
  readonly ruleId: string;
  readonly sentence: string;
  readonly own?: boolean;
  readonly risk?: RiskLevel;
  readonly target?: string;
}

interface Making {
  readonly site: PathSite;
  readonly make: (kind: EffectKind, about: About) => Effect;
  /** The contacted hosts already have effects. */
  readonly reaches: boolean;
  readonly beyond: Effect | undefined;
}

function describe(identified: Identified, words: readonly Word[], { site, make, reaches, beyond }: Making): Effect[] {
  const { name, builtin, program } = identified;
  if (DELETERS.includes(name)) {
    const targets = findTargets(words, site);
    const named = targets.slice(0, MAX_TARGETS).map((target) => deletes(name, target, site));
    const grave = targets
      .slice(MAX_TARGETS)
      .filter((target) => isKeptBySystem(target, site.machine))
      .slice(0, 1);
    const open = targets.length === 0 || targets.length > named.length;
    return [
      ...named,
      ...grave.map((target) => deletes(name, target, site)),
      ...(open ? [deletes(name, undefined, site)] : []),
    ];
  }
  const writes = judgeWrites(name, words, site);
  if (writes !== undefined && writes.length > 0) return [...judgeMovedAway(name, words, site), ...writes];
  if (name === "kill") return [make("process-control", { ruleId: "kill", sentence: "Sends a signal to processes" })];
  if (DOWNLOADERS.includes(name)) {
    if (reaches) return [];
    return [make("network-read", { ruleId: "download", sentence: `Asks another machine with ${name}` })];
  }
  if (beyond !== undefined) return [beyond];
  if (builtin) {
    const sentence = `Runs the builtin ${name}, which isn't in the catalogue`;
    return [make("executes", { ruleId: "builtin.unknown", sentence, own: false })];
  }
  if (program === undefined) return [];
  return [
    make("executes", {
      ruleId: "program.unknown",
      sentence: `Runs ${name}, which isn't in the catalogue`,
      target: program,
    }),
  ];
}
