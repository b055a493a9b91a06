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
  /** Every part is covered or safe by itself, and nothing around them is unsafe. */
  readonly allowlisted: boolean;
  /** The entries that fit, whether or not their parts were safe anyway. */
  readonly entries: readonly Entry[];
  /** At least one part isn't safe by itself. */
  readonly needed: boolean;
  /** What takes in all of it where the entries don't. */
  readonly grant?: Grant;
}

/** What entries and grants say about a command. */
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

/** A wrapper that does nothing of its own (`timeout 5 …`) needs no entry where what it runs has one. */
function isRunByMatched(index: number, parts: readonly Part[], matched: readonly boolean[]): boolean {
  const inner = parts.flatMap((part, at) => (part.wrapper === index ? [at] : []));
  return inner.length > 0 && inner.every((at) => matched[at] || isRunByMatched(at, parts, matched));
}

interface Looking {
  readonly parts: readonly Part[];
  /** The profile's entries, and those that hold for a session or a while. */
  readonly lists: readonly (readonly Entry[])[];
  readonly moment: Moment;
}

/** The entries that cover a part, by themselves or together with the wrapper that runs it. */
function findCovering(part: Part, { parts, lists, moment }: Looking): Entry[] {
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

/** The entry that was made for this very command, if it still does what it did then. */
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
  // Made by hand without one: nobody has said what it may do at the most.
  if (ceiling === undefined) return false;
  const { places, roots = [] } = ceiling;
  const isPlace = (path: string) =>
    (places?.includes(path) ?? isInsideAny(path, roots)) && (directory === undefined || isInside(path, directory));
  // The proposal's own environment isn't in the text, so the text doesn't hold it.
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

/** The very words in the very place do what they did, even where nobody can name it; where one can, it is looked at. */
function isSeen(
  { kind, risk, target }: Pick<Classification["effects"][number], "kind" | "risk"> & { target: string | undefined },
  { kinds, risk: most, roots = [] }: Ceiling,
): boolean {
  if (!kinds.includes(kind) || rank(risk) > rank(most)) return false;
  return kind === "executes" || !target?.startsWith("/") || isInsideAny(target, roots);
}

/**
 * The grant that takes in everything the command would do. One grant must take in all of it: a part that an entry allows
 * to use the network would open the jail for the others.
 */
export function findGrant(classification: Classification, grants: readonly Grant[], moment: Moment): Grant | undefined {
  const { enforcement } = moment;
  if (enforcement !== "jail" || classification.opaque) return undefined;
  // No jail of ours is around a tool's server.
  if (classification.parts.some((part) => part.toolCall)) return undefined;
  const effects = classification.effects.map((effect) => underEnforcement(effect, enforcement));
  return grants.find(
    (grant) =>
      isInForce(grant, moment) &&
      // Where it runs isn't an effect, but the jail is cut for the root.
      classification.parts.every((part) => part.directory !== undefined && isInside(part.directory, grant.root)) &&
      effects.every((effect) => staysInside(effect, grant.root)),
  );
}

/** Named one by one: a kind that is added later is not covered. */
function staysInside(effect: Effect, root: string): boolean {
  if (effect.floor || effect.risk === "dangerous") return false;
  if (effect.risk === "safe") return true;
  switch (effect.kind) {
    case "reads":
    case "writes":
    case "deletes":
      return effect.target?.startsWith("/") === true && isInside(effect.target, root);
    case "executes":
      // Known or not: the jail holds it.
      return true;
    case "environment":
      return effect.ruleId === PLAIN_VARIABLE;
    default:
      return false;
  }
}
