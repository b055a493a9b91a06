import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import type { AgentScope } from "@countersign/vocabulary";
import { CliError, EXIT } from "../base/index.ts";
import type { Machine } from "./machine.ts";

/** Undefined where the agent has no such place. */
export function settingsPath(agent: HookedAgent, scope: AgentScope, machine: Machine): string | undefined {
  const { settings } = AGENTS[agent];
  if (scope === "project") return join(machine.cwd, settings.project);
  if (scope === "user") return inFolder(agent, settings.user, machine);
  const managed = settings.managed?.[machine.platform === "darwin" ? "darwin" : "linux"];
  return managed === undefined ? undefined : join(machine.root || "/", managed);
}

export function settingsPathOrRefuse(agent: HookedAgent, scope: AgentScope, machine: Machine): string {
  const path = settingsPath(agent, scope, machine);
  if (path !== undefined) return path;
  const { title } = AGENTS[agent];
  if (scope === "managed")
    throw new CliError("FAILED", `${title} has no settings that users can't override. Omit --managed.`);
  const message = `This user has no home directory for ${title}'s settings. Set HOME, or give --project.`;
  throw new CliError("NO_HOME", message, { exitCode: EXIT.usage });
}

/** `~/.codex/…`, or wherever the agent is told to keep that folder. */
function inFolder(agent: HookedAgent, path: string, { userHome, env }: Machine): string | undefined {
  const { folderVariable } = AGENTS[agent].settings;
  const [, folder = "", rest = ""] = /^~\/([^/]+)\/(.*)$/.exec(path) ?? [];
  const moved = folderVariable === null ? undefined : env[folderVariable];
  // Codex itself asks for the real path of a folder that was moved, and knows its hooks by that.
  if (moved) return join(realPathOr(moved), rest);
  const base = folder === ".config" ? (env.XDG_CONFIG_HOME ?? (userHome && join(userHome, folder))) : undefined;
  if (base) return join(base, rest);
  return userHome === undefined ? undefined : join(userHome, folder, rest);
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Codex keeps there what it was told, also which hooks it may run. */
export function codexConfigPath(machine: Machine): string | undefined {
  const hooks = settingsPath("codex", "user", machine);
  return hooks === undefined ? undefined : join(dirname(hooks), "config.toml");
}
