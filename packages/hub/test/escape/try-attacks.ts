import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quoteWord } from "@countersign/protocol/text";
import type { Attack } from "./attack.ts";
import type { ChildHub } from "./child-hub.ts";
import type { Listeners } from "./listeners.ts";
import type { World } from "./world.ts";

/** In the workspace, since every jail shows that. */
export const ALL = "attacks/all";
/** Those that can be shown to work without a jail, and do no harm then: nothing else may ever be run there. */
export const SHOWN = "attacks/shown";
const DONE = "all were tried";

/** Writes the attacks down as scripts that try each, however the others went, and prints which worked. */
export function writeAttacks(world: World, hub: ChildHub, listeners: Listeners, attacks: readonly Attack[]): void {
  const dir = join(world.workspace, "attacks");
  mkdirSync(dir);
  for (const [at, { script }] of attacks.entries()) writeFileSync(join(dir, `${at}`), script);
  const lines = Object.entries(variables(world, hub, listeners)).map(
    ([name, value]) => `export ${name}=${quoteWord(value)}`,
  );
  const all = attacks.map((_, at) => `( . attacks/${at} ) > /dev/null 2>&1 < /dev/null && echo worked ${at}`);
  const shown = all.filter((_, at) => isShown(attacks[at] as Attack, world));
  for (const [name, tries] of Object.entries({ [ALL]: all, [SHOWN]: shown })) {
    writeFileSync(join(world.workspace, name), [...lines, ...tries, `echo ${DONE}`, ""].join("\n"));
  }
}

export function isShown({ unjailed, marks }: Attack, world: World): boolean {
  if (unjailed === "nobody" || (unjailed === "root" && world.who.uid !== 0)) return false;
  return marks === undefined || marks(world) !== undefined;
}

function variables(world: World, hub: ChildHub, listeners: Listeners): Record<string, string> {
  return {
    DIR: world.dir,
    HOME_DIR: world.home,
    OWN_HOME: world.ownHome,
    WORKSPACE: world.workspace,
    ELSEWHERE: world.elsewhere ?? "",
    VICTIM: `${world.victim}`,
    HUB: `${hub.pid}`,
    HUB_PORT: `${hub.port}`,
    TCP_PORT: `${listeners.tcpPort}`,
    UDP_PORT: `${listeners.udpPort}`,
    ABSTRACT: listeners.abstractName,
    DATAGRAM: listeners.datagram,
    ...Object.fromEntries(listeners.streams.map((path, at) => [`STREAM_${at}`, path])),
  };
}

/** The names of the attacks that worked, by what the script printed and what stands outside. */
export function whatWorked(world: World, attacks: readonly Attack[], output: string): string[] {
  if (!output.includes(DONE)) throw new Error(`Not all attacks were tried:\n${output}`);
  const said = new Set(output.split("\n").flatMap((line) => /^worked (\d+)$/.exec(line)?.[1] ?? []));
  return attacks.filter((attack, at) => worked(world, attack) ?? said.has(`${at}`)).map(({ name }) => name);
}

function worked(world: World, attack: Attack): boolean | undefined {
  const path = attack.marks?.(world);
  if (path === undefined) return undefined;
  return existsSync(path) && readFileSync(path, "utf8").includes("escaped");
}
