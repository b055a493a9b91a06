import { basename, type Classification, type Effect, isInside, isInsideAny, type Part, rank } from "../model/index.ts";
import { matchesAllowed } from "../patterns/index.ts";
import {
  type Ceiling,
  DEFAULT_CEILING,
  type Entry,
  findLoose,
  type Grant,
  isInForce,
  isSafe,
  type Moment,
  type Profile,
  underEnforcement,
} from "../profile/index.ts";
import { allowsOptions, readShape } from "../programs/index.ts";
import { PLAIN_VARIABLE } from "../shell/index.ts";
import { holdsCode } from "./code.ts";
import { candidates, type IndexedEntry } from "./entry-index.ts";

export interface Coverage {
  /** Every part is covered or safe, and no effect outside the parts is unsafe. */
  readonly allowlisted: boolean;
  /** The matching entries, including those of parts that are safe anyway. */
  readonly entries: readonly Entry[];
  /** At least one part isn't safe without an entry. */
  readonly needed: boolean;
  /** The grant that covers the whole command, if the entries don't. */
  readonly grant?: Grant;
}

/** Returns what entries and grants allow of a command. */
export function cover(classification: Classification, profile: Profile, moment: Moment): Coverage {
  const { allowed } = moment;
  const lists = [profile.allowlist, allowed?.entries ?? []];
  const byParts = coverParts(classification, profile, { lists, moment });
  if (byParts.allowlisted) return byParts;
  const whole = findForCommand(classification, lists, moment);
  if (whole !== undefined) return { allowlisted: true, entries: [whole], needed: byParts.needed };
  const grant = findGrant(classification, [...profile.grants, ...(allowed?.grants ?? [])], moment);
  return grant === undefined ? byParts : { ...byParts, grant };
}

function coverParts(
  classification: Classification,
  profile: Profile,
  { lists, moment }: { readonly lists: readonly (readonly Entry[])[]; readonly moment: Moment },
): Coverage {
  const { parts, opaque } = classification;
  const fitting = parts.map((part) => findCovering(part, { parts, lists, moment }));
  const safe = parts.map((part) => isSafe(part.effects, moment));
  const matched = parts.map((_, index) => (fitting[index] ?? []).length > 0);
  const covered = parts.map((_, index) => {
    if (matched[index]) return true;
    if (!safe[index]) return false;
    return !profile.safeIsMiss || isRunByMatched(index, parts, matched);
  });
  const around = isSafe(findLoose(classification), moment) && !classification.effects.some((effect) => effect.floor);
  const some = !profile.safeIsMiss || parts.length > 0;
  return {
    allowlisted: !opaque && around && some && covered.every(Boolean),
    entries: fitting.flatMap((one) => one.slice(0, 1)),
    needed: safe.includes(false) || profile.safeIsMiss,
  };
}

/** Reports whether the part is a wrapper without effects of its own (`timeout 5 …`) whose commands are covered. */
function isRunByMatched(index: number, parts: readonly Part[], matched: readonly boolean[]): boolean {
  const inner = parts.flatMap((part, at) => (part.wrapper === index ? [at] : []));
  return inner.length > 0 && inner.every((at) => matched[at] || isRunByMatched(at, parts, matched));
}

interface Looking {
  readonly parts: readonly Part[];
  /** The profile's entries, and those allowed for a session or a limited time. */
  readonly lists: readonly (readonly Entry[])[];
  readonly moment: Moment;
}

/** Returns the entries that cover a part, alone or together with its wrapper. */
function findCovering(part: Part, { parts, lists, moment }: Looking): Entry[] {
  const about = (one: Part) => lists.flatMap((list) => candidates(list, one, moment));
  const direct = about(part).filter(({ pattern }) => matchesAllowed(pattern, part));
  const outer = part.wrapper === undefined ? undefined : parts[part.wrapper];
  const through = outer === undefined ? [] : about(outer).filter((one) => namesBoth(one, outer, part));
  const inner = parts.filter((one) => one.wrapper !== undefined && parts[one.wrapper] === part);
  return [...direct, ...through]
    .filter((one) => {
      if (one.entry.command !== undefined || !isInPlace(one.entry, part)) return false;
      // The shape in an entry for a wrapper and its command is the command's.
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

/** Reports whether a pattern names both wrapper and command, as `sudo apt **` does. `sudo **` names sudo alone. */
export function namesBoth({ pattern }: Pick<IndexedEntry, "pattern">, outer: Part, part: Part): boolean {
  const head = part.words[0];
  const at = outer.words.length - part.words.length;
  if (head === null || head === undefined || part.program === undefined || at < 1 || outer.words[at] !== head)
    return false;
  const named = pattern[at];
  const literal = named !== undefined && named !== "**" && named.length === 1 ? named[0] : undefined;
  return literal === basename(head) && !pattern.slice(0, at).includes("**") && matchesAllowed(pattern, outer);
}

/** Reports whether all unsafe effects of the part are the program's own and under the entry's ceiling. */
function isWithin(part: Part, { entry, pattern }: IndexedEntry, { enforcement }: Moment): boolean {
  const ceiling = entry.ceiling ?? DEFAULT_CEILING;
  // Identical words in the same place affect what they affected then, even if the target isn't known.
  const same = ceiling.options !== undefined && pattern.every((word) => word !== "**" && word.length === 1);
  return part.effects
    .map((effect) => underEnforcement(effect, enforcement))
    .every((effect) => {
      if (effect.floor) return false;
      return effect.risk === "safe" || (effect.own && isUnder(effect, ceiling, { unnamed: same }));
    });
}

/** Reports whether the command has the seen shape and runs in the seen place. */
function isInShape(part: Part, { options, subcommand, roots, places }: Ceiling): boolean {
  if (places !== undefined && (part.directory === undefined || !places.includes(part.directory))) return false;
  if (options === undefined && subcommand === undefined) return true;
  const shape = readShape(part.words);
  if (shape === undefined) return false;
  if (options !== undefined && !allowsOptions(options, shape.options)) return false;
  if (subcommand !== undefined && shape.subcommand !== subcommand) return false;
  return roots === undefined || (part.directory !== undefined && isInsideAny(part.directory, roots));
}

/**
 * Reports whether an effect is under the ceiling. `unnamed`: roots also allow writes and deletions without a known
 * target.
 */
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

/** Returns the entry for this exact command, if its effects are still the same. */
function findForCommand(
  classification: Classification,
  lists: readonly (readonly Entry[])[],
  moment: Moment,
): Entry | undefined {
  const first = classification.parts[0];
  if (first === undefined || classification.opaque) return undefined;
  const command = classification.command.trim();
  return lists
    .flatMap((list) => candidates(list, first, moment))
    .map(({ entry }) => entry)
    .find((entry) => entry.command === command && stillHolds(entry, classification, moment));
}

function stillHolds(entry: Entry, classification: Classification, moment: Moment): boolean {
  const { parts, effects } = classification;
  const { ceiling, directory } = entry;
  // A hand-written entry without a ceiling states no limit.
  if (ceiling === undefined) return false;
  const { places, roots = [] } = ceiling;
  const isPlace = (path: string) =>
    (places?.includes(path) ?? isInsideAny(path, roots)) && (directory === undefined || isInside(path, directory));
  // The proposal's added environment isn't part of the text, so the entry can't cover it.
  const around = findLoose(classification).every(
    (effect) => effect.risk === "safe" || effect.kind !== "environment" || effect.span.end > effect.span.pos,
  );
  return (
    parts.every((part) => part.directory !== undefined && isPlace(part.directory)) &&
    around &&
    effects.every((effect) => !effect.floor) &&
    effects
      .map((effect) => underEnforcement(effect, moment.enforcement))
      .every(({ kind, risk, target }) => risk === "safe" || isSeen({ kind, risk, target }, ceiling)) &&
    parts.every((part) => holdsCode(entry, part, moment))
  );
}

/** Reports whether an effect is under the ceiling of an exact command. Only known targets are compared. */
function isSeen(
  { kind, risk, target }: Pick<Classification["effects"][number], "kind" | "risk"> & { target: string | undefined },
  { kinds, risk: most, roots = [] }: Ceiling,
): boolean {
  if (!kinds.includes(kind) || rank(risk) > rank(most)) return false;
  return kind === "executes" || !target?.startsWith("/") || isInsideAny(target, roots);
}

/**
 * Returns the grant that covers all effects. A single grant must cover them all: a part that an entry allows to use the
 * network would open the jail for the others.
 */
export function findGrant(classification: Classification, grants: readonly Grant[], moment: Moment): Grant | undefined {
  const { enforcement } = moment;
  if (enforcement !== "jail" || classification.opaque) return undefined;
  // A tool's server doesn't run in our jail.
  if (classification.parts.some((part) => part.toolCall)) return undefined;
  const effects = classification.effects.map((effect) => underEnforcement(effect, enforcement));
  return grants.find(
    (grant) =>
      isInForce(grant, moment) &&
      // The directory isn't an effect, but the jail is built for the root.
      classification.parts.every((part) => part.directory !== undefined && isInside(part.directory, grant.root)) &&
      effects.every((effect) => staysInside(effect, grant.root)),
  );
}

/** Reports whether the effect stays inside the root. Kinds are listed, so that a new kind isn't covered. */
function staysInside(effect: Effect, root: string): boolean {
  if (effect.floor || effect.risk === "dangerous") return false;
  if (effect.risk === "safe") return true;
  switch (effect.kind) {
    case "reads":
    case "writes":
    case "deletes":
      return effect.target?.startsWith("/") === true && isInside(effect.target, root);
    case "executes":
      // The jail confines known and unknown programs alike.
      return true;
    case "environment":
      return effect.ruleId === PLAIN_VARIABLE;
    default:
      return false;
  }
}
