import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { AGENT_SCOPES, type AgentScope } from "@countersign/vocabulary";
import {
  disabledHooks,
  findAgents,
  findOurs,
  type HookCommand,
  isShippedAs,
  JsonTextError,
  type Machine,
  readHookCommand,
  readIfText,
  readPlugin,
  settingsPath,
  wantedHooks,
} from "../agents/index.ts";
import { isListening } from "../connect/index.ts";
import { askCodex } from "./ask-codex.ts";
import { fireCanaries, fireLive } from "./canaries.ts";
import { type Finding, not, ok } from "./finding.ts";
import type { ScratchHubs } from "./scratch-hubs.ts";

/** Where our hook stands in an agent's settings. */
interface Standing {
  readonly agent: HookedAgent;
  readonly scope: AgentScope;
  readonly path: string;
  readonly text: string;
}

/** Wherever anything of ours stands in an agent's settings, also in half. */
export function standings(machine: Machine): Standing[] {
  return Object.values(AGENTS).flatMap(({ name: agent }) =>
    AGENT_SCOPES.flatMap((scope) => {
      const path = settingsPath(agent, scope, machine);
      const text = path === undefined ? undefined : readIfText(path);
      return path !== undefined && text?.includes("countersign-hook.cjs") ? [{ agent, scope, path, text }] : [];
    }),
  );
}

/** What can be said about agents without starting anything. */
export function checkFound(machine: Machine): Finding[] {
  const found = findAgents(machine);
  if (found.length === 0) return [ok("agents", "none of those that Countersign connects is on this machine")];
  return found.flatMap(({ agent, title, hooked }) =>
    hooked.length > 0
      ? []
      : [not("warn", agent, { says: `${title} is here and doesn't ask`, remedy: `countersign install ${agent}` })],
  );
}

export async function checkStanding(
  standing: Standing,
  { machine, hubs }: { readonly machine: Machine; readonly hubs: ScratchHubs | undefined },
): Promise<Finding[]> {
  const read = readStanding(standing);
  if ("finding" in read) return [read.finding];
  const { command } = read;
  const still = [...checkWhole(standing, command), ...checkFiles(standing, command)];
  const off = disabledHooks(standing.agent, standing.scope, machine).map(({ why, remedy }) =>
    not("open", `${standing.agent}: its settings`, { says: `our hook isn't run: ${why}`, remedy }),
  );
  // What can't start fails each of them, and is told once.
  const canStart = still.every(({ state }) => state !== "fail");
  const canaries = hubs === undefined || !canStart ? [] : await fireCanaries(command, hubs, machine);
  const listening = await isListening(command.home).catch(() => false);
  const live = listening ? hubs && [await fireLive(command, { machine, cwd: hubs.dir })] : [noHub(standing, command)];
  const own = standing.agent === "codex" ? await codexItself(machine) : [];
  return [...still, ...off, ...own, ...canaries, ...(canStart && live ? live : [])];
}

async function codexItself(machine: Machine): Promise<Finding[]> {
  const program = findAgents(machine).find(({ agent }) => agent === "codex")?.program;
  return program === undefined ? [] : [await askCodex(program, machine.cwd)];
}

function readStanding({
  agent,
  path,
  text,
}: Standing): { readonly command: HookCommand } | { readonly finding: Finding } {
  const remedy = `countersign install ${agent}`;
  const check = `${agent}: its settings`;
  const says = `what stands in ${visible(path)} isn't what install wrote`;
  if (AGENTS[agent].hook.kind === "plugin") {
    const command = readPlugin(text);
    return command ? { command } : { finding: not("open", check, { says, remedy }) };
  }
  try {
    const commands = [...new Set(findOurs(agent, text).map(({ command }) => command))];
    const read = commands.map(readHookCommand);
    const [only] = read;
    if (only !== undefined && commands.length === 1) return { command: only };
    return { finding: not("open", check, { says, remedy }) };
  } catch (cause) {
    const where = cause instanceof JsonTextError ? cause.message : "it can't be read";
    const unread = `${visible(path)}: ${where}, so ${AGENTS[agent].title} may read none of it`;
    return { finding: not("open", check, { says: unread, remedy: `mend ${visible(path)}` }) };
  }
}

/** Every event, with our timeout and what makes a failure block. */
function checkWhole({ agent, path, text }: Standing, command: HookCommand): Finding[] {
  const check = `${agent}: its settings`;
  if (AGENTS[agent].hook.kind === "plugin") return [ok(check, `whole (${visible(path)})`)];
  const [first] = findOurs(agent, text);
  const wanted = wantedHooks(agent, first?.command ?? "");
  const there = new Map(findOurs(agent, text).map(({ event, item }) => [event, JSON.stringify(item)]));
  const { hook, deadlineMs } = AGENTS[agent];
  const gates = hook.kind === "command" ? hook.gates : [];
  const lacking = Object.entries(wanted).filter(([event, item]) => there.get(event) !== JSON.stringify(item));
  const remedy = `countersign install ${agent}`;
  if (lacking.length === 0 && command.deadlineMs <= deadlineMs) return [ok(check, `whole (${visible(path)})`)];
  const events = lacking.map(([event]) => event).join(", ");
  const open = lacking.some(([event]) => gates.includes(event)) || command.deadlineMs > deadlineMs;
  const says = `${visible(path)} lacks or differs: ${events || "the deadline"}`;
  return [not(open ? "open" : "warn", check, { says, remedy })];
}

function checkFiles({ agent }: Standing, { node, hook, home }: HookCommand): Finding[] {
  const remedy = `countersign install ${agent}`;
  const check = `${agent}: its hook`;
  const missing = [node, hook, home].filter((path) => !existsSync(path));
  if (missing.length > 0)
    return [
      not("fail", check, { says: `${missing.map(visible).join(", ")} isn't there: everything is denied`, remedy }),
    ];
  const findings = [node, hook]
    .filter((path) => (statSync(path).mode & 0o002) !== 0)
    .map((path) =>
      not("open", check, { says: `anybody can change ${visible(path)}`, remedy: `chmod o-w ${visible(path)}` }),
    );
  if (!isShippedAs(hook)) findings.push(not("warn", check, { says: `${visible(hook)} is another version's`, remedy }));
  return findings.length > 0 ? findings : [ok(check, visible(join(hook)))];
}

function noHub({ agent }: Standing, { home }: HookCommand): Finding {
  const says = `no hub is running for ${visible(home)}: everything is denied`;
  return not("fail", `${agent}: your hub answers its hook`, {
    says,
    remedy: "countersign serve, or countersign service install",
  });
}
