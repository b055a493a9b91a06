import {
  basename,
  type Classification,
  EFFECT_KINDS,
  type Effect,
  isInside,
  isInsideAny,
  type Part,
  rank,
} from "../model/index.ts";
import { matchesAllowed } from "../patterns/index.ts";
import { allowsOptions, readShape } from "../tools/index.ts";
import { underEnforcement } from "./assess.ts";
import type { Circumstances } from "./decision.ts";
import { holdsCode } from "./hold-code.ts";
import type { Moment } from "./in-force.ts";
import { candidates, type IndexedEntry } from "./index-entries.ts";
import type { Ceiling, Entry } from "./profile.ts";

/**
 * What an entry covers when it states no ceiling: a program's ordinary work. What changes rights, secrets, history or the
 * shell itself must be stated, and so must anything dangerous.
 */
export const DEFAULT_CEILING: Ceiling = {
  kinds: EFFECT_KINDS.filter(
    (kind) =>
      !["privilege", "credentials", "persistence", "obfuscation", "environment", "history-rewrite"].includes(kind),
  ),
  risk: "needs-review",
};

export function isSafe(effects: readonly Effect[], { enforcement }: Pick<Circumstances, "enforcement">): boolean {
  return effects.every((effect) => !effect.floor && underEnforcement(effect, enforcement).risk === "safe");
}

/** Effects of the classification that belong to no part. By value, so that a stored classification works too. */
export function findLoose(classification: Classification): Effect[] {
  const owned = new Set(classification.parts.flatMap((part) => part.effects.map((effect) => JSON.stringify(effect))));
  return classification.effects.filter((effect) => !owned.has(JSON.stringify(effect)));
}

interface Setting {
  readonly parts: readonly Part[];
  /** The profile's entries, and those that hold for a session or a while. */
  readonly lists: readonly (readonly Entry[])[];
  readonly moment: Moment;
}

/** The entries that cover a part, by themselves or together with the wrapper that runs it. */
export function findCovering(part: Part, { parts, lists, moment }: Setting): Entry[] {
  const about = (one: Part) => lists.flatMap((list) => candidates(list, one, moment));
  const direct = about(part).filter(({ pattern }) => matchesAllowed(pattern, part));
  const outer = part.wrapper === undefined ? undefined : parts[part.wrapper];
  const through = outer === undefined ? [] : about(outer).filter((one) => namesBoth(one, outer, part));
  const inner = parts.filter((one) => one.wrapper !== undefined && parts[one.wrapper] === part);
  return [...direct, ...through]
    .filter((one) => {
      if (one.entry.command !== undefined || !isInPlace(one.entry, part)) return false;
      // An entry for a wrapper and what it runs has the shape of what it runs.
      const named = inner.find((candidate) => namesBoth(one, part, candidate));
      return (
        isInShape(named ?? part, one.entry.ceiling ?? DEFAULT_CEILING) &&
        isWithin(part, one, moment) &&
        holdsCode(one.entry, part, moment)
      );
    })
    .map(({ entry }) => entry);
}

function isInPlace({ directory }: Entry, part: Part): boolean {
  return directory === undefined || (part.directory !== undefined && isInside(part.directory, directory));
}

/** `sudo apt **` names the wrapper and what it runs, so it speaks for both. `sudo **` speaks for sudo alone. */
export function namesBoth({ pattern }: Pick<IndexedEntry, "pattern">, outer: Part, part: Part): boolean {
  const head = part.words[0];
  const at = outer.words.length - part.words.length;
  if (head === null || head === undefined || part.program === undefined || at < 1 || outer.words[at] !== head)
    return false;
  const named = pattern[at];
  const literal = named !== undefined && named !== "**" && named.length === 1 ? named[0] : undefined;
  return literal === basename(head) && !pattern.slice(0, at).includes("**") && matchesAllowed(pattern, outer);
}

/** Whether everything that isn't safe about the part is its program's own and under the entry's ceiling. */
function isWithin(part: Part, { entry, pattern }: IndexedEntry, { enforcement }: Moment): boolean {
  const ceiling = entry.ceiling ?? DEFAULT_CEILING;
  // The very words, run where they were seen, touch what they touched then, even where nobody can name it.
  const same = ceiling.options !== undefined && pattern.every((word) => word !== "**" && word.length === 1);
  return part.effects
    .map((effect) => underEnforcement(effect, enforcement))
    .every((effect) => {
      if (effect.floor) return false;
      return effect.risk === "safe" || (effect.own && isUnder(effect, ceiling, { unnamed: same }));
    });
}

/** Whether the command is of the form that was seen, and runs where it was seen. */
function isInShape(part: Part, { options, subcommand, roots, places }: Ceiling): boolean {
  if (places !== undefined && (part.directory === undefined || !places.includes(part.directory))) return false;
  if (options === undefined && subcommand === undefined) return true;
  const shape = readShape(part.words);
  if (shape === undefined) return false;
  if (options !== undefined && !allowsOptions(options, shape.options)) return false;
  if (subcommand !== undefined && shape.subcommand !== subcommand) return false;
  return roots === undefined || (part.directory !== undefined && isInsideAny(part.directory, roots));
}

/** `unnamed`: whether roots also hold a write or deletion whose target isn't known. */
function isUnder(
  effect: Effect,
  { kinds, risk, roots, hosts }: Ceiling,
  { unnamed }: { readonly unnamed: boolean },
): boolean {
  if (!kinds.includes(effect.kind) || rank(effect.risk) > rank(risk)) return false;
  const network = effect.kind === "network-read" || effect.kind === "network-send";
  if (hosts !== undefined && network && !hosts.includes(effect.target ?? "")) return false;
  if (roots === undefined) return true;
  if (effect.target?.startsWith("/") && effect.kind !== "executes") return isInsideAny(effect.target, roots);
  return unnamed || (effect.kind !== "writes" && effect.kind !== "deletes");
}
