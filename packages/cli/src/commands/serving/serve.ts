import { resolve } from "node:path";
import { VERSION } from "@countersign/core/base";
import { type Served, serve as startHub } from "@countersign/hub";
import type { Addresses } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { agentLines, agentsHere, findAgents, renewHookFiles, thisMachine } from "../../agents/index.ts";
import {
  CliError,
  defaultHomeDir,
  EXIT,
  type GlobalOptions,
  homeDirOf,
  onSignals,
  ourName,
  terminalBell,
} from "../../base/index.ts";
import { hubLog, type LogLevel } from "../../hub-errors/index.ts";
import { pairWhileServing } from "../../pair/index.ts";
import { noJailWords } from "../../show/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";
import { asRefusedStart } from "./refused-start.ts";

export interface ServeOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
  readonly tls?: boolean;
  readonly cert?: string;
  readonly key?: string;
  readonly insecureLan?: boolean;
  readonly gateway?: string;
  readonly recorderSocket?: string;
  readonly logLevel: LogLevel;
}

/** Runs the hub until a signal ends it. */
export async function serve(options: ServeOptions): Promise<number> {
  const log = hubLog(options.logLevel);
  let served: Served | undefined;
  // In an unknown state nothing may be permitted any more: fail closed.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (cause: unknown) => {
      log.error({ err: cause }, "something unforeseen happened; the hub ends");
      served?.abandon();
      process.exit(EXIT.internal);
    });
  }
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  served = await start(options, log);
  renewHookFiles(served.home.dir);
  const { hubKey } = served;
  const { gateway } = options;
  const ending = new AbortController();
  let pairing: Promise<void> | undefined;
  if (options.json) printJson({ url: served.url, home: served.home.dir, pid: process.pid, hubKey });
  else {
    const link = await pairWhileServing(served.pairing, served.url);
    printLines([
      ...(served.firstStart ? firstStartLines(served, link?.lines) : laterStartLines(served, link?.lines)),
      ...agentLines(findAgents(thisMachine()), ourName()),
      ...recorderLines(served),
      ...(gateway === undefined ? [] : [`Start the gateway with --hub-key ${hubKey}`]),
    ]);
    pairing = link?.run(ending.signal).catch((cause: unknown) => {
      log.error({ err: cause }, "nobody can be let in from this terminal any more");
    });
  }
  await stopped;
  ending.abort();
  await pairing;
  await served.close();
  signals.off();
  return EXIT.ok;
}

async function start(options: ServeOptions, log: ReturnType<typeof hubLog>): Promise<Served> {
  const { port, host, tls, insecureLan } = options;
  const homeDir = homeDirOf(options);
  return await startHub({
    homeDir,
    ...{ host, tls, insecureLan, certificate: certificateOf(options) },
    ...(port === undefined ? {} : { port }),
    agents: agentsHere(homeDir, thisMachine()),
    cwd: process.cwd(),
    token: process.env.COUNTERSIGN_TOKEN,
    gateway: options.gateway,
    recorderSocket: options.recorderSocket === undefined ? undefined : resolve(options.recorderSocket),
    bell: terminalBell(process.stderr),
    log,
  }).catch(asRefusedStart);
}

function certificateOf({ cert, key }: ServeOptions): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new CliError("FAILED", "Give both --cert and --key.", { exitCode: EXIT.usage });
}

/** At most eleven lines, those about agents included: `npm start` in a fresh clone fits on a small terminal. */
function firstStartLines(
  { url, home, noJail, jailGaps, addresses }: Served,
  link: readonly string[] | undefined,
): string[] {
  const name = ourName();
  const token = process.env.COUNTERSIGN_TOKEN ? "the one in COUNTERSIGN_TOKEN" : visible(home.token);
  return [
    `Countersign ${VERSION} listens on ${url}`,
    ...noJailLines(noJail),
    ...networkLines(addresses),
    `  data     ${visible(home.dir)}`,
    `  token    ${token}  (it can approve: keep it from agents)`,
    ...(noJail === undefined
      ? ["  jail     bubblewrap; commands get only the access they were predicted to need"]
      : []),
    ...jailGapLines(jailGaps),
    ...(link ?? [
      "In another terminal:",
      `  ${name} exec -- npm test   proposes a command, as an agent would`,
      `  ${name} pending            lists pending approvals, and how to approve or deny them`,
    ]),
    ...elsewhereLines(home.dir),
    `\`${name} demo\` shows how it works without an agent. Ctrl-C stops the hub.`,
  ];
}

function laterStartLines({ url, home, noJail, addresses }: Served, link: readonly string[] | undefined): string[] {
  return [
    `Countersign ${VERSION} listens on ${url} (data ${visible(home.dir)}).`,
    ...noJailLines(noJail),
    ...networkLines(addresses),
    ...elsewhereLines(home.dir),
    ...(link ?? []),
  ];
}

function jailGapLines(gaps: readonly string[]): string[] {
  return gaps.length === 0 ? [] : [`  gaps     not enforced in full here: ${gaps.map(visible).join("; ")}`];
}

/** Stands right below the address: without a jail, the kernel enforces nothing of what a card predicts. */
function noJailLines(problem: string | undefined): string[] {
  if (problem === undefined) return [];
  const { says, remedy } = noJailWords(problem);
  return [says, `  → ${remedy}`];
}

function networkLines({ addresses }: Addresses): string[] {
  const elsewhere = addresses.filter(({ from }) => from !== "machine").map(({ origin }) => visible(origin));
  return elsewhere.length === 0 ? [] : [`  also at  ${elsewhere.join(", ")}  (${ourName()} phone lets one in)`];
}

function recorderLines({ noRecorder }: Served): string[] {
  return noRecorder === undefined ? [] : [`Everything new is denied for now. ${visible(noRecorder)}`];
}

/** Other terminals look in the default place, unless they are told. */
function elsewhereLines(dir: string): string[] {
  return dir === defaultHomeDir() ? [] : [`Other terminals need: export COUNTERSIGN_HOME=${visible(dir)}`];
}
