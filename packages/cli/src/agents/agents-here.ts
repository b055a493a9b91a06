import type { LocalAgents } from "@countersign/hub";
import { AGENTS, type AgentChanged, type AgentName, type HookedAgent } from "@countersign/protocol/access";
import { ourName } from "../base/index.ts";
import { disabledHooks } from "./disabled-hooks.ts";
import { findAgents } from "./find-agents.ts";
import { installHook, uninstallHook } from "./install.ts";
import type { Machine } from "./machine.ts";
import { stableNode } from "./stable-node.ts";

const SCOPE = "user";

/** The agents of this user, for a hub that is asked to connect one from the page. */
export function agentsHere(home: string, machine: Machine): LocalAgents {
  return {
    find: () => findAgents(machine).map(({ agent, hooked }) => ({ agent, hooked })),
    commandFor: (agent) => commandFor(agent, ourName(machine.env)),
    connect: async (agent) => await connect(agent, home, machine),
    disconnect: async (agent) => {
      const { settings, changed } = uninstallHook({ agent, scope: SCOPE, machine }, { print: false });
      const gone = `${AGENTS[agent].title} no longer asks: what it runs from now on is neither decided nor recorded here.`;
      return { agent, changed, settings, files: changed ? [settings] : [], backups: [], notes: changed ? [gone] : [] };
    },
  };
}

function commandFor(name: AgentName, us: string): string {
  if (name === "acp") return `${us} acp -- <agent>`;
  if (name === "mcp") return `${us} mcp`;
  return `${us} install ${name}`;
}

async function connect(agent: HookedAgent, home: string, machine: Machine): Promise<AgentChanged> {
  const place = { agent, scope: SCOPE, home, node: stableNode(machine.env), machine } as const;
  const { settings, changed, backups, ours } = await installHook(place, { print: false });
  const { title, deadlineMs } = AGENTS[agent];
  const notes = [
    ...(changed ? [`Restart ${title} where it runs.`] : [`${title} was connected already; nothing was changed.`]),
    ...(changed
      ? [`A person has ${Math.round(deadlineMs / 60_000)} minutes to answer; what nobody answers is denied.`]
      : []),
    ...disabledHooks(agent, SCOPE, machine).map(({ why, remedy }) => `Not in force yet: ${why}. Remedy: ${remedy}.`),
  ];
  return { agent, changed, settings, files: changed ? ours.map(({ path }) => path) : [], backups: [...backups], notes };
}
