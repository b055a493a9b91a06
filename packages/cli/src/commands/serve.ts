import { resolve } from "node:path";
import { visible } from "@countersign/sdk";
import { type Served, serve as startHub, VERSION } from "@countersign/server";
import { agentLines, findAgents } from "../agents/find-agents.ts";
import { renewHookFiles } from "../agents/hook-files.ts";
import { thisMachine } from "../agents/machine.ts";
import { EXIT } from "../exit-codes.ts";
import { hubLog, type LogLevel } from "../hub-log.ts";
import { onSignals } from "../on-signals.ts";
import { ourName } from "../our-name.ts";
import { defaultHomeDir, type GlobalOptions, homeDirOf } from "../settings.ts";
import { printJson, printLines } from "../show/print.ts";
import { asRefusedStart } from "./refused-start.ts";

export interface ServeOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
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
  if (options.json) printJson({ url: served.url, home: served.home.dir, pid: process.pid, hubKey });
  else
    printLines([
      ...(served.firstStart ? firstStartLines(served) : laterStartLines(served)),
      ...agentLines(findAgents(thisMachine()), ourName()),
      ...recorderLines(served),
      ...(gateway === undefined ? [] : [`Start the gateway with --hub-key ${hubKey}`]),
    ]);
  await stopped;
  await served.close();
  signals.off();
  return EXIT.ok;
}

async function start({ port, host, ...options }: ServeOptions, log: ReturnType<typeof hubLog>): Promise<Served> {
  const given = { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
  return await startHub({
    homeDir: homeDirOf(options),
    cwd: process.cwd(),
    token: process.env.COUNTERSIGN_TOKEN,
    gateway: options.gateway,
    recorderSocket: options.recorderSocket === undefined ? undefined : resolve(options.recorderSocket),
    log,
    ...given,
  }).catch(asRefusedStart);
}

function firstStartLines({ url, home, noJail }: Served): string[] {
  const name = ourName();
  const token = process.env.COUNTERSIGN_TOKEN ? "the one in COUNTERSIGN_TOKEN" : visible(home.token);
  return [
    `Countersign ${VERSION} listens on ${url}`,
    `  home     ${visible(home.dir)}`,
    `  token    ${token}  (it may approve: keep it from agents)`,
    `  jail     ${noJail === undefined ? "what runs is held to what was predicted" : `none: ${visible(noJail)}`}`,
    "",
    ...elsewhereLines(home.dir),
    "In another terminal:",
    `  ${name} exec -- npm test   proposes a command, as an agent would`,
    `  ${name} pending            shows what waits, and how to approve or deny it`,
    "",
    `\`${name} demo\` shows it without an agent. Ctrl-C stops the hub.`,
  ];
}

function laterStartLines({ url, home, noJail }: Served): string[] {
  return [
    `Countersign ${VERSION} listens on ${url} (home ${visible(home.dir)}).`,
    ...(noJail === undefined ? [] : [`Commands run without a jail: ${visible(noJail)}.`]),
    ...elsewhereLines(home.dir),
  ];
}

function recorderLines({ noRecorder }: Served): string[] {
  return noRecorder === undefined ? [] : [`Everything new is denied for now. ${visible(noRecorder)}`];
}

/** Other terminals look in the default place, unless they are told. */
function elsewhereLines(dir: string): string[] {
  return dir === defaultHomeDir() ? [] : [`Other terminals need: export COUNTERSIGN_HOME=${visible(dir)}`];
}
