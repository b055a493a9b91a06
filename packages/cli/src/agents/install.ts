import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeAt, prepareHome } from "@countersign/core/config";
import { openHubKey } from "@countersign/hub";
import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import type { AgentScope } from "@countersign/vocabulary";
import { CliError, EXIT } from "../base/index.ts";
import { type Trust, trustFor, withTrust } from "./codex-trust.ts";
import { writeHookCommand } from "./hook-command.ts";
import { copyHookFiles, HOOK_FILE } from "./hook-files.ts";
import type { Machine } from "./machine.ts";
import { isOurPlugin, opencodePlugin } from "./opencode-plugin.ts";
import { findOurs, wantedHooks, withHooks } from "./our-hooks.ts";
import { JsonTextError } from "./parse.ts";
import { codexConfigPath, settingsPathOrRefuse } from "./places.ts";
import { backUp, readSettings, removeSettings, type SettingsFile, writeSettings } from "./settings-file.ts";

export interface Place {
  readonly agent: HookedAgent;
  readonly scope: AgentScope;
  /** Countersign's home. */
  readonly home: string;
  readonly node: string;
  readonly machine: Machine;
}

/** A file that would be changed, and to what. */
interface Change {
  readonly file: SettingsFile;
  readonly text: string;
  /** Ours in it, for people to see. */
  readonly ours: string;
}

export interface Installed {
  readonly settings: string;
  readonly changed: boolean;
  /** Copies of what was there before. */
  readonly backups: readonly string[];
  readonly ours: readonly { readonly path: string; readonly text: string }[];
}

/** Puts our hook into an agent's settings, or back into shape; twice changes nothing. With `print`, nothing is written. */
export async function installHook(place: Place, { print }: { readonly print: boolean }): Promise<Installed> {
  const { home: dir, scope, machine } = place;
  if (scope === "managed") refuseManaged(place);
  const home = print || scope === "managed" ? homeAt(existsSync(dir) ? realpathSync(dir) : dir) : prepareHome(dir);
  const key =
    print && !existsSync(join(home.keys, "hub.key")) ? "made-when-installed" : (await openHubKey(home)).publicKey;
  const hookDir = scope === "managed" ? join(machine.root || "/", MANAGED_HOOKS) : join(home.dir, "hook");
  const changes = changesFor(place, { home: home.dir, key, hookDir });
  const copied = !print && copyHookFiles(hookDir, { forEveryone: scope === "managed" });
  const stale = changes.filter(({ file, text }) => file.text !== text);
  const backups = print ? [] : stale.flatMap(({ file }) => backUp(file, join(home.dir, "backups")) ?? []);
  if (!print) for (const { file, text } of stale) writeSettings(file, text);
  return {
    settings: settingsPathOrRefuse(place.agent, scope, machine),
    changed: copied || stale.length > 0,
    backups,
    ours: changes.map(({ file, ours }) => ({ path: file.path, text: ours })),
  };
}

/** Root's own, so that nobody else can put another file in its place. */
const MANAGED_HOOKS = "/usr/local/lib/countersign/hook";

function changesFor(
  { agent, scope, node, machine }: Place,
  { home, key, hookDir }: { readonly home: string; readonly key: string; readonly hookDir: string },
): Change[] {
  const path = settingsPathOrRefuse(agent, scope, machine);
  const within = scope === "project" ? machine.cwd : undefined;
  const file = readSettings(path, { within });
  const { deadlineMs, hook } = AGENTS[agent];
  const given = { agent, node, hook: join(hookDir, HOOK_FILE), home, key, deadlineMs };
  if (hook.kind === "plugin") {
    if (file.text !== undefined && !isOurPlugin(file.text))
      throw new CliError("FAILED", `${visible(path)} wasn't written by Countersign. Move it away first.`);
    const text = opencodePlugin(given);
    return [{ file, text, ours: text }];
  }
  const command = writeHookCommand(given);
  if (agent === "gemini" && command.includes("$"))
    throw new CliError(
      "FAILED",
      "Gemini CLI expands every $ in its settings, and the path of our hook contains one. Install Countersign to another path.",
    );
  const wanted = wantedHooks(agent, command);
  const text = edited(agent, file, wanted);
  const settings = { file, text, ours: JSON.stringify({ hooks: asLists(wanted) }, null, 2) };
  return agent === "codex" && scope !== "managed" ? [settings, ...trustChange(path, text, machine)] : [settings];
}

function trustChange(path: string, text: string, machine: Machine): Change[] {
  return changeOfTrust(trustFor(findOurs("codex", text), path), path, machine);
}

function changeOfTrust(trust: Trust, settingsPath: string, machine: Machine): Change[] {
  const config = codexConfigPath(machine);
  if (config === undefined) return [];
  const file = readSettings(config);
  if (file.text === undefined && trust.size === 0) return [];
  const text = withTrust(file.text ?? "", trust, { path: visible(config), settingsPath });
  return [
    { file, text, ours: text.slice((file.text ?? "").length === 0 ? 0 : commonStart(text, file.text ?? "")).trim() },
  ];
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < other.length && one[at] === other[at]) at += 1;
  return one.lastIndexOf("\n", at) + 1;
}

/** Takes our hook out again, and leaves everything else as it is. The home, its keys and records stay. */
export function uninstallHook(
  { agent, scope, machine }: Omit<Place, "home" | "node">,
  { print }: { readonly print: boolean },
): Installed {
  const path = settingsPathOrRefuse(agent, scope, machine);
  const file = readSettings(path, { within: scope === "project" ? machine.cwd : undefined });
  const changes: Change[] = [];
  if (file.text !== undefined && AGENTS[agent].hook.kind === "command")
    changes.push({ file, text: edited(agent, file, {}), ours: "" });
  if (agent === "codex" && scope !== "managed") changes.push(...changeOfTrust(new Map(), path, machine));
  const stale = changes.filter(({ file: before, text }) => before.text !== text);
  if (!print) for (const { file: before, text } of stale) writeSettings(before, text);
  const plugin = AGENTS[agent].hook.kind === "plugin" && file.text !== undefined && isOurPlugin(file.text);
  if (plugin && !print) removeSettings(file);
  return { settings: path, changed: stale.length > 0 || plugin, backups: [], ours: [] };
}

function edited(agent: HookedAgent, file: SettingsFile, wanted: Parameters<typeof withHooks>[2]): string {
  try {
    return withHooks(agent, file.text ?? "", wanted);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const where = cause instanceof JsonTextError ? cause.message : (cause as Error).message;
    throw new CliError("FAILED", `${visible(file.path)} can't be changed: ${where}. Nothing was written.`, { cause });
  }
}

function asLists(wanted: Readonly<Record<string, unknown>>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(wanted).map(([event, item]) => [event, [item]]));
}

/** Another user's home is only read: what we made there would be root's. */
function refuseManaged({ agent, home, machine }: Place): void {
  settingsPathOrRefuse(agent, "managed", machine);
  if (machine.root === "" && process.getuid?.() !== 0)
    throw new CliError("UNAUTHORIZED", "--managed writes settings of the whole machine: run it as root, with --home.", {
      exitCode: EXIT.usage,
    });
  if (existsSync(join(home, "keys", "hub.key"))) return;
  const whose = existsSync(dirname(home)) ? ` (${visible(home)}, user ${statSync(dirname(home)).uid})` : "";
  throw new CliError(
    "NO_HOME",
    `No hub key to pin${whose}. Give the hub's data directory with --home, and first run \`countersign install\` there as its user.`,
    { exitCode: EXIT.usage },
  );
}
