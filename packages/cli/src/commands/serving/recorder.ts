import { resolve } from "node:path";
import { VERSION } from "@countersign/core/base";
import { visible } from "@countersign/protocol/text";
import { type StartedRecorder, startRecorder } from "@countersign/recorder";
import { EXIT, type GlobalOptions, homeDirOf, onSignals, ourName } from "../../base/index.ts";
import { hubLog, type LogLevel } from "../../hub-errors/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";
import { asRefusedStart } from "./refused-start.ts";

export interface RecorderOptions extends GlobalOptions {
  readonly socket?: string;
  readonly logLevel: LogLevel;
}

/** Keeps the record until a signal ends it. */
export async function recorder(options: RecorderOptions): Promise<number> {
  const log = hubLog(options.logLevel);
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (cause: unknown) => {
      log.error({ err: cause }, "something unforeseen happened; the recorder ends");
      process.exit(EXIT.internal);
    });
  }
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  const socket = options.socket === undefined ? undefined : resolve(options.socket);
  const started = await startRecorder({ homeDir: homeDirOf(options), log, socket }).catch(asRefusedStart);
  const { home, key, hubSocket } = started;
  if (options.json) printJson({ home: home.dir, pid: process.pid, key, hubSocket: hubSocket ?? null });
  else printLines(startLines(started));
  await stopped;
  await started.close();
  signals.off();
  return EXIT.ok;
}

function startLines({ home, key, hubSocket, setback }: StartedRecorder): string[] {
  const pair = `${ourName()} recorder pair --home ${visible(home.dir)}`;
  return [
    `The recorder of Countersign ${VERSION} keeps the record in ${visible(home.dir)}.`,
    `  key      ${key}`,
    hubSocket === undefined
      ? `  hub      none is paired: stop it, run \`${pair}\`, and start it again`
      : `  hub      connects to ${visible(hubSocket)}`,
    ...(setback === undefined ? [] : [`Warning: ${visible(setback)}`]),
  ];
}
