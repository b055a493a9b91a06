import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { AGENTS, hookedAgentSchema } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import type { AgentScope } from "@countersign/vocabulary";
import {
  cameWithPackage,
  disabledHooks,
  type Installed,
  installHook,
  limitsOf,
  type Place,
  removeOnRecord,
  stableNode,
  thisMachine,
  uninstallHook,
} from "../agents/index.ts";
import { CliError, EXIT, type GlobalOptions, homeDirOf, ourName } from "../base/index.ts";
import { isListening } from "../connect/index.ts";
import { printJson, printLines } from "../terminal/index.ts";

export interface InstallOptions extends GlobalOptions {
  readonly project?: boolean;
  readonly managed?: boolean;
  readonly print?: boolean;
}

const PERSONAL =
  "It names paths of this machine: keep the file out of what you share, or everything is denied to others.";

/** `countersign install <agent>`: after this the agent asks before it uses a tool. */
export async function install(name: string, options: InstallOptions): Promise<number> {
  const place = placeOf(name, options);
  const installed = await installHook(place, { print: options.print ?? false });
  const off = disabledHooks(place.agent, place.scope, place.machine);
  const notes = [
    ...(place.scope === "project" && !isIgnored(installed.settings) ? [PERSONAL] : []),
    ...off.map(({ why, remedy }) => `Not in force yet: ${why}. Remedy: ${remedy}.`),
    ...limitsOf(place.agent),
  ];
  if (options.json)
    printJson({ agent: place.agent, scope: place.scope, print: options.print ?? false, ...installed, notes });
  else
    printLines(
      options.print
        ? printedLines(installed)
        : [...installedLines(place, installed, notes), ...(await nextLines(place))],
    );
  return EXIT.ok;
}

/** `countersign uninstall <agent>`: our lines are gone, everything else is as it was. */
export async function uninstall(name: string, options: InstallOptions): Promise<number> {
  const { agent, scope, machine, home } = placeOf(name, options);
  const { print = false } = options;
  const place = { agent, scope, machine };
  const { settings, changed } = uninstallHook(place, { print: true });
  const { title } = AGENTS[agent];
  const remove = () => void uninstallHook(place, { print: false });
  const removal = changed && !print ? await removeOnRecord({ agent, scope, settings }, home, remove) : undefined;
  if (options.json) printJson({ agent, scope, print, settings, changed, ...removal });
  else if (!changed) printLines([`${title} wasn't connected: nothing of ours stands in ${visible(settings)}.`]);
  else if (!removal) printLines([`Would take our lines out of ${visible(settings)}.`]);
  else
    printLines([
      `${title} no longer asks: our lines are gone from ${visible(settings)}. What it runs from now on is neither decided nor recorded here.`,
      removal.recorded ? "That they were taken out is on record." : `Nothing was recorded of this: ${removal.why}.`,
    ]);
  return EXIT.ok;
}

/** Whether git would leave it out of what is shared. Claude Code has its local settings ignored only where it made them itself. */
function isIgnored(path: string): boolean {
  return (
    spawnSync("git", ["-C", dirname(path), "-c", "core.fsmonitor=false", "check-ignore", "-q", path], {
      stdio: "ignore",
    }).status === 0
  );
}

function placeOf(name: string, options: InstallOptions): Place {
  const agent = hookedAgentSchema.safeParse(name);
  if (!agent.success) {
    const known = hookedAgentSchema.options.join(", ");
    throw new CliError("INVALID_PARAMS", `There's no agent ${visible(name)}. There are: ${known}.`, {
      exitCode: EXIT.usage,
    });
  }
  if (options.project && options.managed)
    throw new CliError("INVALID_PARAMS", "Give --project or --managed, not both.", { exitCode: EXIT.usage });
  const scope: AgentScope = options.project ? "project" : options.managed ? "managed" : "user";
  return { agent: agent.data, scope, home: homeDirOf(options), node: stableNode(process.env), machine: thisMachine() };
}

function printedLines({ ours }: Installed): string[] {
  return ours.flatMap(({ path, text }) => [`# ${visible(path)}`, ...text.split("\n").map(visible), ""]).slice(0, -1);
}

function installedLines(
  { agent, node }: Place,
  { settings, changed, backups }: Installed,
  notes: readonly string[],
): string[] {
  const { title, deadlineMs } = AGENTS[agent];
  const minutes = Math.round(deadlineMs / 60_000);
  return [
    changed
      ? `${title} asks before it uses a tool (${visible(settings)}).`
      : `${title} is connected already; nothing was changed.`,
    ...backups.map((path) => `What was there before is kept in ${visible(path)}.`),
    ...(changed
      ? [`A person has ${minutes} minutes to answer; what nobody answers is denied. Restart ${title} where it runs.`]
      : []),
    ...(cameWithPackage(node)
      ? [`It starts ${visible(node)}, which goes away with this package: install Node, then run this again.`]
      : []),
    ...notes.map((note) => `Note: ${note}`),
  ];
}

async function nextLines({ agent, home }: Place): Promise<string[]> {
  const name = ourName();
  const running = await isListening(home).catch(() => false);
  return running
    ? [`Next: ${name} doctor tries it out. ${name} service install keeps the hub running after a reboot.`]
    : [
        `Next: no hub is running, so everything of ${AGENTS[agent].title} is denied: ${name} serve, or ${name} service install.`,
      ];
}
