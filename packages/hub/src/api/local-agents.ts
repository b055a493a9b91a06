import {
  AGENT_CAPABILITIES,
  AGENTS,
  type AgentCapabilities,
  type AgentChanged,
  type DetectedAgentView,
  type HookedAgent,
} from "@countersign/protocol/access";
import type { AgentScope } from "@countersign/vocabulary";
import type { Hub } from "../hub/index.ts";

/**
 * Finds, connects and disconnects agents of this machine. The CLI implements it; a hub started without the CLI has
 * none.
 */
export interface LocalAgents {
  find(): readonly { readonly agent: HookedAgent; readonly hooked: readonly AgentScope[] }[];
  /** The command to type to connect it. */
  commandFor(name: AgentCapabilities["name"]): string;
  connect(agent: HookedAgent): Promise<AgentChanged>;
  disconnect(agent: HookedAgent): Promise<AgentChanged>;
}

/** Returns every agent and integration that is known, found or not, with what applies to it on this machine. */
export function viewAgents(here: LocalAgents | undefined, hub: Hub): DetectedAgentView[] {
  const found = new Map(here?.find().map(({ agent, hooked }) => [agent as string, hooked]));
  return AGENT_CAPABILITIES.map((promise) => {
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

/** `config.json` can choose whether the hub runs an agent's commands or the agent does. */
function runsHere({ name, jailed }: AgentCapabilities, { config }: Hub): boolean {
  if (!isHooked(name) || !AGENTS[name].rewritable) return jailed;
  const configured = Object.hasOwn(config.agents, name) ? config.agents[name]?.mode : undefined;
  return (configured ?? AGENTS[name].mode) === "run";
}

function isHooked(name: AgentCapabilities["name"]): name is HookedAgent {
  return Object.hasOwn(AGENTS, name);
}
