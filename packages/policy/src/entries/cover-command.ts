import { type Classification, isInside, isInsideAny, rank } from "../model/index.ts";
import {
  type Ceiling,
  candidates,
  type Entry,
  findLoose,
  holdsCode,
  type Moment,
  underEnforcement,
} from "../profile/index.ts";

/** The entry that was made for this very command, if it still does what it did then. */
export function findForCommand(
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
    .find((entry) => entry.command === command && holds(entry, classification, moment));
}

function holds(entry: Entry, classification: Classification, moment: Moment): boolean {
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
