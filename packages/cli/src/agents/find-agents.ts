import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import { AGENT_SCOPES, type AgentScope } from "@countersign/vocabulary";
import type { Machine } from "./machine.ts";
import { isOurPlugin } from "./opencode-plugin.ts";
import { findOurs } from "./our-hooks.ts";
import { settingsPath } from "./places.ts";
import { readIfText } from "./read-if-text.ts";

/** An agent that this machine has, and whether it asks us. */
export interface FoundAgent {
  readonly agent: HookedAgent;
  readonly title: string;
  /** Where its program is; undefined: only its folder was found. */
  readonly program: string | undefined;
  /** Whose settings name our hook. */
  readonly hooked: readonly AgentScope[];
}

/** Looks at PATH, the user's home and settings; starts nothing. */
export function findAgents(machine: Machine): FoundAgent[] {
  return Object.values(AGENTS).flatMap(({ name: agent, title, programs, folders }) => {
    const program = onPath(programs, machine);
    const home = machine.userHome;
    const hasFolder = home !== undefined && folders.some((folder) => existsSync(join(home, folder)));
    const hooked = AGENT_SCOPES.filter((scope) => isHooked(agent, scope, machine));
    return program || hasFolder || hooked.length > 0 ? [{ agent, title, program, hooked }] : [];
  });
}

/** Whether every event that can block has our hook. */
function isHooked(agent: HookedAgent, scope: AgentScope, machine: Machine): boolean {
  const path = settingsPath(agent, scope, machine);
  const text = path === undefined ? undefined : readIfText(path);
  if (text === undefined) return false;
  const { hook } = AGENTS[agent];
  if (hook.kind === "plugin") return isOurPlugin(text);
  try {
    const events = new Set(findOurs(agent, text).map(({ event }) => event));
    return hook.gates.every((gate) => events.has(gate));
  } catch {
    return false;
  }
}

function onPath(programs: readonly string[], { env }: Machine): string | undefined {
  const dirs = (env.PATH ?? "").split(delimiter).filter((dir) => dir.startsWith("/"));
  return dirs.flatMap((dir) => programs.map((program) => join(dir, program))).find((path) => existsSync(path));
}

/** Returns a line with the agents that ask, and one with the command that connects each of the others. */
export function agentLines(found: readonly FoundAgent[], ourName: string): string[] {
  const asks = found.filter(({ hooked }) => hooked.length > 0).map(({ title }) => title);
  const open = found.filter(({ hooked }) => hooked.length === 0);
  const commands = open.map(({ title, agent }) => `${title} (${ourName} install ${agent})`);
  return [
    ...(asks.length > 0 ? [`Agents that ask before they run a command: ${asks.join(", ")}`] : []),
    ...(commands.length > 0 ? [`Agents found, not connected yet: ${commands.join(", ")}`] : []),
  ];
}
