import type { DangerPattern } from "../catalog/dangers/index.ts";
import { WHOLE_OPTIONS } from "../catalog/index.ts";
import { type Effect, isInsideAny, MAX_TARGETS, makeEffect, type Word } from "../model/index.ts";
import { isAboveSecrets, locateScript, nameScript, type PathSite } from "../paths/index.ts";
import { matchDangers, needsNameOnly, needsTextOnly } from "./danger-patterns.ts";
import { findTargets, namesBlockDevice, namesPrecious } from "./operands.ts";
import { findKnownSubcommand, findLanguage, knowsOption } from "./tool-usage.ts";

const takesWholeOptions = new Set(WHOLE_OPTIONS);

/** Returns the effects of the dangerous patterns that a command matches, one for each sentence and target. */
export function judgeDangers(name: string, words: readonly Word[], { site, stdin }: DangerSite): Effect[] {
  const found = findPatterns(name, words, { site, stdin });
  // A dangerous pattern describes the command better than one that only asks for review.
  const grave = found.some((pattern) => isGrave(pattern) && pattern.own !== false);
  const patterns = grave ? found.filter((pattern) => isGrave(pattern) || pattern.own === false) : found;
  return judgePatterns(name, words, { site, patterns });
}

function isGrave(pattern: DangerPattern): boolean {
  return pattern.risk !== "needs-review";
}

/**
 * Returns the same for words that the catalogue knows completely. It is more reliable than a pattern that looks at the
 * name alone, at program text that the catalogue has parsed, or that only asks for review. It also knows the
 * subcommand: `kubectl auth can-i delete pods` deletes nothing.
 */
export function judgeKnownDangers(name: string, words: readonly Word[], { site, stdin }: DangerSite): Effect[] {
  const readsText = findLanguage(name) !== undefined;
  const subcommand = findKnownSubcommand(name, words);
  const patterns = findPatterns(name, words, { site, stdin, subcommand }).filter(
    (pattern) =>
      pattern.insists || (isGrave(pattern) && !needsNameOnly(pattern) && !(readsText && needsTextOnly(pattern))),
  );
  return judgePatterns(name, words, { site, patterns });
}

interface DangerSite {
  readonly site: PathSite;
  /** Literal standard input. */
  readonly stdin?: string | undefined;
  readonly subcommand?: readonly string[] | undefined;
}

function findPatterns(name: string, words: readonly Word[], at: DangerSite): DangerPattern[] {
  const { site, stdin, subcommand } = at;
  const mayAbbreviate = (option: string) => !takesWholeOptions.has(name) && !knowsOption(name, words, `--${option}`);
  const found = matchDangers(name, { words: words.map((word) => word.mask), stdin, subcommand, mayAbbreviate });
  return found.filter((pattern) => leadsThere(pattern, words, site));
}

function judgePatterns(
  name: string,
  words: readonly Word[],
  { site, patterns }: { readonly site: PathSite; readonly patterns: readonly DangerPattern[] },
): Effect[] {
  if (patterns.length === 0) return [];
  const effects = patterns.flatMap((pattern) => makeEffects(name, pattern, { words, site }));
  if (effects.length > 0 && namesBlockDevice(words, site)) return effects.map((effect) => ({ ...effect, floor: true }));
  return effects;
}

function leadsThere({ where }: DangerPattern, words: readonly Word[], site: PathSite): boolean {
  if (where === undefined) return true;
  const targets = findTargets(words, site);
  if (where === "outside") return targets.some((target) => !isInsideAny(target, site.machine.roots));
  return targets.some((target) => isAboveSecrets(target, site.machine));
}

function makeEffects(
  name: string,
  pattern: DangerPattern,
  { words, site }: { words: readonly Word[]; site: PathSite },
): Effect[] {
  const total = isRecursiveDeletion(name, pattern, words) && namesPrecious(startsOf(name, words), site);
  const floor = pattern.floor || total ? true : undefined;
  const own = pattern.own ?? site.own;
  const { kind, id: ruleId, risk = "dangerous" } = pattern;
  const layer = risk === "dangerous" ? "dangerous-pattern" : "safe-binary";
  const all = pattern.targets ? findTargets(words, site) : [];
  const targets = all.slice(0, MAX_TARGETS);
  const open =
    pattern.targets &&
    (targets.length === 0 || all.length > targets.length || words.some((word) => word.literal === null));
  const here = pattern.here && site.directory.certain ? site.directory.path : undefined;
  const about = open || !pattern.targets ? [...targets, here] : targets;
  const script = pattern.namesScript ? nameScript(name, words, site) : undefined;
  const sentences = script === undefined ? pattern.sentences : [`Runs this project's "${script}" script`];
  const found = script === undefined ? undefined : locateScript(script, words, site);
  return sentences.flatMap((sentence) =>
    about.map((target) =>
      makeEffect(site.span, { kind, risk, layer, ruleId, sentence, own, target, floor, script: found }),
    ),
  );
}

function isRecursiveDeletion(name: string, pattern: DangerPattern, words: readonly Word[]): boolean {
  // With a test such as -name it matches some files, not the whole tree.
  const takesAll = /^(-delete|-depth|-type|[fdl]|-mindepth|-maxdepth|\d+|-print|-xdev|-mount)$/;
  if (name === "find") {
    return pattern.kind === "deletes" && words.every((word) => !/^[-(!]/.test(word.mask) || takesAll.test(word.mask));
  }
  if (pattern.id === "rsync.delete") return true;
  if (pattern.id !== "rm.recursive-or-force") return false;
  return words.some((word) => /^(-[a-zA-Z]*[rR]|--r)/.test(word.literal ?? ""));
}

/** Returns the words that name what is deleted: find's starting points, rsync's destination. */
function startsOf(name: string, words: readonly Word[]): readonly Word[] {
  if (name === "rsync") return words.slice(-1);
  if (name !== "find") return words;
  const end = words.findIndex((word) => /^[-(!]/.test(word.mask));
  return end === -1 ? words : words.slice(0, end);
}
