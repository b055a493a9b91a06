import type { Effect } from "../model/index.ts";

/** Rule id for a tool that may run code of the workspace before it answers. */
export const LOADS = "tool.loads";

/** Rule id for a tool that queries its service. */
export const SERVICE = "tool.service";

/** Reports whether the effect is safe only because a jail confines code of the workspace. */
export function runsWorkspaceCode({ ruleId, kind, reliesOnJail }: Effect): boolean {
  return ruleId === LOADS || (kind === "executes" && reliesOnJail === true);
}

export function usesNetwork({ kind }: Effect): boolean {
  return kind === "network-read" || kind === "network-send";
}

/**
 * Returns a function that raises effects to needs-review, given the whole command, since all of it runs in one jail.
 * Workspace code needs review if anything uses the network; a service query needs review if other code runs, even if an
 * entry allows that code. Undefined if nothing changes.
 */
export function withholdNetwork(effects: readonly Effect[]): ((effect: Effect) => Effect) | undefined {
  if (!effects.some(usesNetwork)) return undefined;
  const loads = effects.some((effect) => effect.risk === "safe" && runsWorkspaceCode(effect));
  const runs = effects.some(({ kind, risk }) => kind === "executes" && risk !== "safe");
  if (!loads && !runs) return undefined;
  return (effect) => {
    if (effect.risk !== "safe") return effect;
    if (runsWorkspaceCode(effect)) return askAbout({ ...effect, kind: "executes" }, "with the network");
    return runs && effect.ruleId === SERVICE ? askAbout(effect, "in one run with other code") : effect;
  };
}

function askAbout({ reliesOnJail: _, ...effect }: Effect, circumstance: string): Effect {
  return { ...effect, risk: "needs-review", sentence: `${effect.sentence}, ${circumstance}` };
}
