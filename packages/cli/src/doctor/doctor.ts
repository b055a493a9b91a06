import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { AGENT_PROMISES, visible } from "@countersign/sdk";
import { type Home, homeAt } from "@countersign/server";
import { thisMachine } from "../agents/machine.ts";
import { EXIT } from "../exit-codes.ts";
import { type GlobalOptions, homeDirOf } from "../settings.ts";
import { BUBBLEWRAP, noJailWords, thisJailMachine } from "../show/no-jail.ts";
import { printJson, printLines } from "../show/print.ts";
import { table } from "../show/table.ts";
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
  const { jail, agents } = await agentFindings(home);
  const findings = [...jail, ...(await checkRoom(home, options)), ...(await homeFindings(home)), ...agents];
  if (options.json) printJson({ home: home.dir, ok: !isWrong(findings), findings, agents: AGENT_PROMISES });
  else printLines([...inBrief(findings).flatMap(findingLines), "", ...promiseLines(), "", verdictOf(findings)]);
  return exitCodeFor(findings);
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
async function agentFindings(home: Home): Promise<{ readonly jail: Finding[]; readonly agents: Finding[] }> {
  const machine = thisMachine();
  const all = standings(machine);
  const opened = await openHubs(home);
  const hubs = "hubs" in opened ? opened.hubs : undefined;
  try {
    const agents = [...canaryFindings(opened), ...checkFound(machine)];
    for (const standing of all) agents.push(...(await checkStanding(standing, { machine, hubs })));
    return { jail: jailFindings(opened), agents };
  } finally {
    await hubs?.close();
  }
}

type Opened = { readonly hubs: ScratchHubs } | { readonly why: string };

async function openHubs({ keys }: Home): Promise<Opened> {
  const key = join(keys, "hub.key");
  if (!existsSync(key)) return { why: "this home has no key yet" };
  try {
    return { hubs: await openScratchHubs(key) };
  } catch (cause) {
    return { why: (cause as Error).message };
  }
}

function canaryFindings(opened: Opened): Finding[] {
  if ("hubs" in opened) return [];
  return [not("skip", "canaries", { says: visible(opened.why), remedy: "countersign serve, then countersign doctor" })];
}

/** Where no hub can try one, only what is missing is known. */
function jailFindings(opened: Opened): Finding[] {
  const missing = thisJailMachine.has(BUBBLEWRAP) ? undefined : `${BUBBLEWRAP} isn't there`;
  const problem = "hubs" in opened ? opened.hubs.noJail : missing;
  if (problem !== undefined) return [not("warn", JAIL, noJailWords(problem))];
  return "hubs" in opened
    ? [ok(JAIL, "bubblewrap: commands get only the access that they were predicted to need")]
    : [];
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
    ...AGENT_PROMISES.map(({ title, decided, jailed, rewritable, outcomeRecorded }) => [
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
    return failed === 1
      ? "One thing doesn't work; what it guards is denied meanwhile."
      : `${failed} things don't work; what they guard is denied meanwhile.`;
  if (findings.some(({ check, state }) => check === JAIL && state !== "ok"))
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
