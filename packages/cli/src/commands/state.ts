import type { HubState } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import { agentLines, type FoundAgent, findAgents, thisMachine } from "../agents/index.ts";
import { CliError, EXIT, type GlobalOptions, homeDirOf, ourName } from "../base/index.ts";
import { findHub } from "../connect/index.ts";
import { readHubState } from "../hub-calls/index.ts";
import { printJson, printLines } from "../terminal/index.ts";

/** Bare `countersign`: how things stand, and the one next step. */
export async function state(options: GlobalOptions): Promise<number> {
  const home = homeDirOf(options);
  const found = await look(options);
  const agents = findAgents(thisMachine());
  if (found === undefined) {
    if (options.json) printJson({ running: false, home, agents });
    else
      printLines([
        `No hub is running for ${visible(home)}.`,
        ...agentLines(agents, ourName()),
        `Next: ${ourName()} serve`,
      ]);
    return EXIT.ok;
  }
  const { url, hubState } = found;
  // The hub's own `running` counts commands; here the word tells whether there is a hub.
  if (options.json) printJson({ ...hubState, running: true, runningCommands: hubState.running, url, home, agents });
  else printLines(stateLines(hubState, url, agents));
  return EXIT.ok;
}

async function look(options: GlobalOptions): Promise<{ url: string; hubState: HubState } | undefined> {
  try {
    const hub = await findHub(options);
    return { url: hub.url, hubState: await readHubState(hub) };
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "NO_HUB") return undefined;
    throw cause;
  }
}

export function stateLines(hubState: HubState, url: string, agents: readonly FoundAgent[] = []): string[] {
  const { paused, pending, running, today, warnings, version } = hubState;
  const ended = Object.entries(today).map(([kind, count]) => `${count} ${visible(kind)}`);
  return [
    `Countersign ${visible(version)} runs at ${url}.`,
    `${pending} waiting · ${running} running · today: ${ended.length === 0 ? "nothing yet" : ended.join(", ")}`,
    ...(paused
      ? [
          `Paused by ${visible(paused.by)} since ${new Date(paused.atMs).toLocaleString("sv-SE")}: everything new is denied.`,
        ]
      : []),
    ...warnings.map((warning) => `Warning: ${visible(warning)}`),
    ...agentLines(agents, ourName()),
    `Next: ${nextStep(hubState)}`,
  ];
}

/** What waits comes first: somebody's agent stands still meanwhile. Paused, it can't be allowed before the resume. */
function nextStep({ paused, pending }: HubState): string {
  if (paused) return `${ourName()} resume`;
  if (pending > 0) return `${ourName()} pending`;
  return `propose something, such as \`${ourName()} exec -- ls\`, or see \`${ourName()} demo\``;
}
