import {
  AGENT_PROMISES,
  AGENTS,
  type AgentChanged,
  type AgentPromise,
  type FoundAgentView,
  type HookedAgent,
} from "@countersign/protocol/access";
import type { AgentScope } from "@countersign/vocabulary";
import type { Hub } from "../hub/index.ts";

/** Finds agents on this machine, and stands before them. The command line knows how; a hub without one can't. */
export interface LocalAgents {
  find(): readonly { readonly agent: HookedAgent; readonly hooked: readonly AgentScope[] }[];
  /** What to type to connect it. */
  commandFor(name: AgentPromise["name"]): string;
  connect(agent: HookedAgent): Promise<AgentChanged>;
  disconnect(agent: HookedAgent): Promise<AgentChanged>;
}

/** Every agent and way in that we know, found or not, with what holds for it here and now. */
export function viewAgents(here: LocalAgents | undefined, hub: Hub): FoundAgentView[] {
  const found = new Map(here?.find().map(({ agent, hooked }) => [agent as string, hooked]));
  return AGENT_PROMISES.map((promise) => {
    const { name, title, decided, rewritable, outcomeRecorded, limits } = promise;
    const hooked = isHooked(name);
    return {
      ...{ name, title, decided, rewritable, outcomeRecorded, limits: [...limits] },
      found: here && hooked ? found.has(name) : null,
      connected: [...(found.get(name) ?? [])],
      command: here?.commandFor(name) ?? "",
      connectable: here !== undefined && hooked,
      jailed: hub.canJail && runsHere(promise, hub),
    };
  });
}

/** `config.json` may have an agent's commands run by us, or leave them to it. */
function runsHere({ name, jailed }: AgentPromise, { config }: Hub): boolean {
  if (!isHooked(name) || !AGENTS[name].rewritable) return jailed;
  const configured = Object.hasOwn(config.agents, name) ? config.agents[name]?.mode : undefined;
  return (configured ?? AGENTS[name].mode) === "run";
}

function isHooked(name: AgentPromise["name"]): name is HookedAgent {
  return Object.hasOwn(AGENTS, name);
}
