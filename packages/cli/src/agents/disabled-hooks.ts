import { dirname, join } from "node:path";
import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { AGENT_SCOPES, type AgentScope } from "@countersign/vocabulary";
import { readCodexConfig, trustFor } from "./codex-trust.ts";
import type { Machine } from "./machine.ts";
import { findOurs, takesComments } from "./our-hooks.ts";
import { parseJson, plainValue } from "./parse.ts";
import { codexConfigPath, settingsPath } from "./places.ts";
import { readIfText } from "./read-if-text.ts";

/** A setting by which the agent passes our hook over, and what to do about it. */
export interface DisabledHook {
  readonly why: string;
  readonly remedy: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** Everything found in the agent's own settings that keeps a hook in this scope from being run. */
export function disabledHooks(agent: HookedAgent, scope: AgentScope, machine: Machine): DisabledHook[] {
  switch (agent) {
    case "claude-code":
      return claudeSwitches(scope, machine);
    case "codex":
      return codexSwitches(scope, machine);
    case "gemini":
      return geminiSwitches(machine);
    case "cursor":
    case "opencode":
      return [];
  }
}

function claudeSwitches(scope: AgentScope, machine: Machine): DisabledHook[] {
  const managed = settingsPath("claude-code", "managed", machine);
  const project = settingsPath("claude-code", "project", machine);
  const all = [
    managed,
    ...(scope === "managed"
      ? []
      : [settingsPath("claude-code", "user", machine), project, project && join(dirname(project), "settings.json")]),
  ];
  const off = all.flatMap((path) =>
    isOn(readLoosely("claude-code", path).disableAllHooks) ? [remove(path, "disableAllHooks")] : [],
  );
  if (scope === "managed") return off;
  const only = ["allowManagedHooksOnly", "strictPluginOnlyCustomization"].filter((key) =>
    isOn(readLoosely("claude-code", managed)[key]),
  );
  return [
    ...off,
    ...only.map((key) => ({
      why: `${visible(managed ?? "")} says ${key}: only hooks that stand there are run`,
      remedy: "sudo countersign install claude-code --managed --home <your Countersign home>",
    })),
  ];
}

function codexSwitches(scope: AgentScope, machine: Machine): DisabledHook[] {
  const config = codexConfigPath(machine);
  const project = join(machine.cwd, ".codex", "config.toml");
  const off = [config, project].flatMap((path) =>
    readCodex(path).hooksOff ? [remove(path, "features.hooks = false")] : [],
  );
  if (scope === "managed") return off;
  const path = settingsPath("codex", scope, machine);
  const text = path === undefined ? undefined : readIfText(path);
  if (path === undefined || text === undefined) return off;
  const { trust } = readCodex(config);
  const untrusted = [...trustFor(findOurs("codex", text), path)].filter(([key, hash]) => trust.get(key) !== hash);
  if (untrusted.length === 0) return off;
  const why = "Codex hasn't been told that it may run this hook, and passes it over without a word";
  return [...off, { why, remedy: "countersign install codex, or trust it in Codex: /hooks" }];
}

function geminiSwitches(machine: Machine): DisabledHook[] {
  const paths = AGENT_SCOPES.map((scope) => settingsPath("gemini", scope, machine));
  return paths.flatMap((path) => {
    const { hooksConfig } = readLoosely("gemini", path) as { hooksConfig?: Settings };
    const disabled = Array.isArray(hooksConfig?.disabled) && hooksConfig.disabled.includes("countersign");
    return [
      ...(hooksConfig?.enabled === false ? [remove(path, "hooksConfig.enabled = false")] : []),
      ...(disabled ? [remove(path, 'hooksConfig.disabled = ["countersign"]')] : []),
    ];
  });
}

function remove(path: string | undefined, what: string): DisabledHook {
  return { why: `${visible(path ?? "")} says ${what}`, remedy: `take ${what} out of ${visible(path ?? "")}` };
}

/** As its agent takes it: "false" counts as off for some, anything else that isn't nothing as on. */
function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== "false";
}

/** Nothing where it can't be read: that is told elsewhere. */
function readLoosely(agent: HookedAgent, path: string | undefined): Settings {
  const text = path === undefined ? undefined : readIfText(path);
  if (text === undefined) return {};
  try {
    const value = plainValue(parseJson(text, { comments: takesComments(agent) }));
    return typeof value === "object" && value !== null ? (value as Settings) : {};
  } catch {
    return {};
  }
}

function readCodex(path: string | undefined): ReturnType<typeof readCodexConfig> {
  const text = path === undefined ? undefined : readIfText(path);
  try {
    return readCodexConfig(text ?? "", path ?? "");
  } catch {
    return { hooksOff: false, trust: new Map() };
  }
}

/** What no setting says, but its user should know. */
export function limitsOf(agent: HookedAgent): readonly string[] {
  return AGENTS[agent].limits;
}
