import type { Effect } from "../model/index.ts";

/** The rule of a tool that may run code of the workspace before it answers. */
export const LOADS = "tool.loads";

/** The rule of a tool that asks its service. */
export const SERVICE = "tool.service";

/** Whether it is safe only because a jail holds code of the workspace. */
export function runsWorkspaceCode({ ruleId, kind, reliesOnJail }: Effect): boolean {
  return ruleId === LOADS || (kind === "executes" && reliesOnJail === true);
}

export function usesNetwork({ kind }: Effect): boolean {
  return kind === "network-read" || kind === "network-send";
}

/**
 * Returns what makes an effect one to ask about, by the whole command that it is part of: all of it runs in one jail. Code
 * of the workspace asks where anything has the network, and a service asks where other code runs, whatever allows that code.
 * Undefined where there is nothing to change.
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
