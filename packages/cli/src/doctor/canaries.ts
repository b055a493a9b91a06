import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { type HookCommand, type Machine, writeHookCommand } from "../agents/index.ts";
import { pluginCommand } from "./call-plugin.ts";
import { canaryEvent } from "./canary-event.ts";
import { type Finding, not, ok } from "./finding.ts";
import { fireHook } from "./fire-hook.ts";
import { type Reading, readAsAgent } from "./read-as-agent.ts";
import { ASKED_COMMAND, DENIED_COMMAND, SAFE_COMMAND, type ScratchHubs } from "./scratch-hubs.ts";

interface Canary {
  readonly name: string;
  readonly event: string;
  readonly wants: "denied" | "allowed";
  readonly home: string;
  readonly deadlineMs?: number;
  readonly input: string;
}

/** Longer than a hub takes to answer, short enough to wait for. */
const SHORT_MS = 1_500;
/** A question in the scratch hub, and what comes before and after it. */
const ASK_MS = 8_000;

/**
 * Fires the very command that stands in the agent's settings, with another home and deadline where the hub has to be down, slow or false:
 * `countersign` has those to itself, so nobody is asked anything and nothing goes on the record.
 */
export async function fireCanaries(installed: HookCommand, hubs: ScratchHubs, machine: Machine): Promise<Finding[]> {
  const fire = async (canary: Canary): Promise<Finding> => {
    const { home, deadlineMs = installed.deadlineMs } = canary;
    const command = commandOf({ ...installed, home, deadlineMs }, hubs.dir);
    const fired = { agent: installed.agent, command, input: canary.input, cwd: hubs.dir };
    const reading = readAsAgent(installed.agent, canary.event, await fireHook(fired, machine));
    return judge(installed.agent, canary, reading);
  };
  return await Promise.all(canariesFor(installed.agent, hubs).map(fire));
}

/** What the agent starts. A plugin is loaded by its agent, and here by a program of ours that calls it as the agent does. */
function commandOf(installed: HookCommand, dir: string): string {
  return installed.agent === "opencode" ? pluginCommand(installed, dir) : writeHookCommand(installed);
}

function canariesFor(agent: HookedAgent, hubs: ScratchHubs): Canary[] {
  const { hook } = AGENTS[agent];
  const [gate = "", ...otherGates] = hook.kind === "command" ? hook.gates : [];
  const input = (command: string, event = gate) =>
    JSON.stringify(canaryEvent(agent, event, { command, cwd: hubs.dir }));
  const denied = { event: gate, wants: "denied" } as const;
  return [
    {
      name: "allow",
      event: gate,
      wants: "allowed",
      home: hubs.working,
      deadlineMs: ASK_MS,
      input: input(SAFE_COMMAND),
    },
    { ...denied, name: "deny", home: hubs.working, deadlineMs: ASK_MS, input: input(DENIED_COMMAND) },
    { ...denied, name: "ask, unanswered", home: hubs.working, deadlineMs: ASK_MS, input: input(ASKED_COMMAND) },
    { ...denied, name: "hub down", home: hubs.down, input: input(SAFE_COMMAND) },
    { ...denied, name: "hub slow", home: hubs.slow, deadlineMs: SHORT_MS, input: input(SAFE_COMMAND) },
    { ...denied, name: "false hub", home: hubs.lying, input: input(SAFE_COMMAND) },
    {
      ...denied,
      name: "malformed input",
      home: hubs.working,
      deadlineMs: ASK_MS,
      input: input(SAFE_COMMAND).slice(0, -9),
    },
    ...otherGates.map((event) => ({
      ...({ name: `hub down, ${event}`, event, wants: "denied", home: hubs.down } as const),
      input: input(SAFE_COMMAND, event),
    })),
  ];
}

function judge(agent: HookedAgent, { name, wants }: Canary, { kind, words }: Reading): Finding {
  const check = `${agent}: canary, ${name}`;
  if (kind === wants) return ok(check, kind);
  const told = words === "" ? "" : ` (${visible(words.slice(0, 200))})`;
  if (wants === "allowed") {
    const remedy = "restart the hub, so that it is of this version; then: countersign doctor";
    return not("fail", check, { says: `${kind} though it is safe${told}`, remedy });
  }
  const remedy = `don't use ${AGENTS[agent].title} until this is mended: countersign install ${agent}`;
  return not("open", check, { says: `not denied: ${kind}${told}`, remedy });
}

/** The same string, untouched, at the hub that is in use: its denial of a tool that nobody has proves key, version and socket. */
export async function fireLive(
  installed: HookCommand,
  { machine, cwd }: { readonly machine: Machine; readonly cwd: string },
): Promise<Finding> {
  const { agent } = installed;
  const { hook } = AGENTS[agent];
  const gate = hook.kind === "command" ? (hook.gates[0] ?? "") : "";
  const event = { ...canaryEvent(agent, gate, { command: SAFE_COMMAND, cwd }), ...NO_SUCH_TOOL };
  const run = await fireHook({ agent, command: commandOf(installed, cwd), input: JSON.stringify(event), cwd }, machine);
  const reading = readAsAgent(agent, gate, run);
  const check = `${agent}: your hub answers its hook`;
  if (reading.kind !== "denied")
    return not("open", check, { says: `not denied: ${reading.kind}`, remedy: `countersign install ${agent}` });
  // Its own words, where it had no answer from the hub; a refusal of the event is one.
  if (!/couldn't decide|gave no answer/.test(reading.words) || reading.words.includes("the hub refused"))
    return ok(check, "denies a tool that nobody knows");
  return not("fail", check, {
    says: visible(reading.words.slice(0, 300)),
    remedy: "start the hub (countersign serve), or countersign install again",
  });
}

/** OpenCode's other tools may be a server's, which are asked about: there a call without a name is refused instead. */
const NO_SUCH_TOOL = { tool_name: "CountersignCanary", tool: undefined, tool_input: {}, command: undefined };
