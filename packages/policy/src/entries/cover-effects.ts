import { type Classification, type Effect, isInside } from "../model/index.ts";
import { type Grant, isInForce, type Moment, underEnforcement } from "../profile/index.ts";
import { PLAIN_VARIABLE } from "../shell/index.ts";

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
