import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Home, homeAt } from "@countersign/core/config";
import { AGENT_CAPABILITIES } from "@countersign/protocol/access";
import { type HubState, NO_JAIL_WARNING } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import { thisMachine } from "../agents/index.ts";
import { CliError, EXIT, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { findHub } from "../connect/index.ts";
import { readHubState } from "../hub-calls/index.ts";
import { BUBBLEWRAP, noJailWords, thisJailMachine } from "../show/index.ts";
import { printJson, printLines, table } from "../terminal/index.ts";
import { checkAliases } from "./aliases.ts";
import { checkFound, checkStanding, standings } from "./check-agents.ts";
import { checkKeys, checkPath, checkPermissions, checkRecorder, checkRoom, checkStore } from "./check-home.ts";
import { type Finding, not, ok, type State } from "./finding.ts";
import { recorderOf } from "./recorder-of.ts";
import { openScratchHubs, type ScratchHubs } from "./scratch-hubs.ts";

/** `countersign doctor`: everything that has to hold, looked at and tried out. Exits 0, 1 (something is wrong) or 3 (a denial would not be enforced). */
export async function doctor(options: GlobalOptions): Promise<number> {
  const dir = homeDirOf(options);
  const home = homeAt(existsSync(dir) ? realpathSync(dir) : dir);
  const state = await runningState(options);
  const { jail, agents } = await agentFindings(home, state);
  const findings = [...jail, ...(await checkRoom(home, state)), ...(await homeFindings(home)), ...agents];
  if (options.json) printJson({ home: home.dir, ok: !isWrong(findings), findings, agents: AGENT_CAPABILITIES });
  else printLines([...inBrief(findings).flatMap(findingLines), "", ...promiseLines(), "", verdictOf(findings)]);
  return exitCodeFor(findings);
}

/** Undefined where no hub runs, or none can be asked: that is told by another check. */
async function runningState(options: GlobalOptions): Promise<HubState | undefined> {
  try {
    return await readHubState(await findHub(options));
  } catch (cause) {
    if (cause instanceof CliError) return undefined;
    throw cause;
  }
}

async function homeFindings(home: Home): Promise<Finding[]> {
  const { finding, socket } = recorderOf(home);
  return [
    ...(await checkStore(home, Date.now())),
    ...checkKeys(home, { recorder: socket }),
    finding ?? checkRecorder(socket),
    ...checkPermissions(home),
    checkPath(process.env.PATH),
    checkAliases(thisMachine().userHome),
  ];
}

/** `jail` is read first: without one, nothing that is approved is held to anything. */
async function agentFindings(home: Home, state: HubState | undefined): Promise<{ jail: Finding[]; agents: Finding[] }> {
  const machine = thisMachine();
  const all = standings(machine);
  const opened = await openHubs(home);
  const hubs = "hubs" in opened && opened.hasKey ? opened.hubs : undefined;
  try {
    const agents = [...canaryFindings(opened), ...checkFound(machine)];
    for (const standing of all) agents.push(...(await checkStanding(standing, { machine, hubs })));
    return { jail: jailFindings(opened, state), agents };
  } finally {
    if ("hubs" in opened) await opened.hubs.close();
  }
}

/** `hasKey`: it is the home's, so that canaries believe it. */
type Opened = { readonly hubs: ScratchHubs; readonly hasKey: boolean } | { readonly why: string };

async function openHubs({ keys }: Home): Promise<Opened> {
  const key = join(keys, "hub.key");
  const hasKey = existsSync(key);
  try {
    return { hubs: await openScratchHubs(hasKey ? key : undefined), hasKey };
  } catch (cause) {
    return { why: (cause as Error).message };
  }
}

function canaryFindings(opened: Opened): Finding[] {
  if ("hubs" in opened && opened.hasKey) return [];
  const why = "why" in opened ? opened.why : "this home has no key yet";
  return [not("skip", "canaries", { says: visible(why), remedy: "countersign serve, then countersign doctor" })];
}

/** Tried out by a hub of this machine; one that runs already knows for itself, and stays without a jail until it is restarted. */
function jailFindings(opened: Opened, state: HubState | undefined): Finding[] {
  const missing = thisJailMachine.has(BUBBLEWRAP) ? undefined : `${BUBBLEWRAP} isn't there`;
  const problem = "hubs" in opened ? opened.hubs.noJail : missing;
  if (problem !== undefined) return [not("warn", JAIL, noJailWords(problem))];
  const warning = state?.warnings.find((one) => one.startsWith(NO_JAIL_WARNING));
  if (warning !== undefined) {
    const { says } = noJailWords(warning.slice(NO_JAIL_WARNING.length));
    return [not("warn", JAIL, { says, remedy: "restart the hub; a jail can be built here now" })];
  }
  if ("hubs" in opened) return [ok(JAIL, "bubblewrap: commands get only the access that they were predicted to need")];
  return [not("skip", JAIL, { says: "no hub could try one", remedy: "the line on canaries says why" })];
}

const JAIL = "jail";

/** Canaries that did what they should share a line. */
function inBrief(findings: readonly Finding[]): Finding[] {
  const names = new Map<string, string[]>();
  for (const { check, state } of findings) {
    const [, agent, name] = /^(\S+): canary, (.*)$/.exec(check) ?? [];
    if (state === "ok" && agent !== undefined && name !== undefined)
      names.set(agent, [...(names.get(agent) ?? []), name]);
  }
  return findings.flatMap((finding) => {
    const [, agent, name] = /^(\S+): canary, (.*)$/.exec(finding.check) ?? [];
    if (finding.state !== "ok" || agent === undefined) return [finding];
    const all = names.get(agent) ?? [];
    return all[0] === name ? [ok(`${agent}: canaries`, `as they should end: ${all.join("; ")}`)] : [];
  });
}

const MARKS: Record<State, string> = { ok: "ok", warn: "note", skip: "skipped", fail: "FAILS", open: "OPEN" };

function findingLines({ check, state, says, remedy }: Finding): string[] {
  return [`${MARKS[state].padEnd(8)}${check}: ${says}`, ...(remedy === undefined ? [] : [`        → ${remedy}`])];
}

/** What can be promised at best; the lines above say what holds here. */
function promiseLines(): string[] {
  const yes = (is: boolean) => (is ? "yes" : "no");
  return table([
    ["agent", "decided", "jailed", "rewritable", "outcome recorded"],
    ...AGENT_CAPABILITIES.map(({ title, decided, jailed, rewritable, outcomeRecorded }) => [
      title,
      ...[decided, jailed, rewritable, outcomeRecorded].map(yes),
    ]),
  ]);
}

function verdictOf(findings: readonly Finding[]): string {
  const open = findings.filter(({ state }) => state === "open").length;
  const failed = findings.filter(({ state }) => state === "fail").length;
  if (open > 0) return `A denial would not be enforced: ${open === 1 ? "a line says" : `${open} lines say`} OPEN.`;
  if (failed > 0)
    return `${failed} ${failed === 1 ? "check" : "checks"} failed. Until you fix that, the commands it covers are denied.`;
  const jail = findings.find(({ check }) => check === JAIL)?.state;
  if (jail === "skip") return "Everything else works. Whether commands run in a jail could not be tried.";
  if (jail !== "ok")
    return "Everything else works. Approved commands run without a jail: the first line says how to fix it.";
  return "All is well.";
}

function isWrong(findings: readonly Finding[]): boolean {
  return findings.some(({ state }) => state === "open" || state === "fail");
}

function exitCodeFor(findings: readonly Finding[]): number {
  if (findings.some(({ state }) => state === "open")) return EXIT.untrusted;
  return isWrong(findings) ? EXIT.failed : EXIT.ok;
}
