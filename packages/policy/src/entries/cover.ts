import type { Classification, Part } from "../model/index.ts";
import {
  type Entry,
  findCovering,
  findLoose,
  type Grant,
  isSafe,
  type Moment,
  type Profile,
} from "../profile/index.ts";
import { findForCommand } from "./cover-command.ts";
import { findGrant } from "./cover-effects.ts";

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
