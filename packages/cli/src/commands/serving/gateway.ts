import { readFileSync } from "node:fs";
import { StartError } from "@countersign/core/errors";
import { type Gateway, startGateway } from "@countersign/hub";
import { CliError, EXIT, type GlobalOptions, onSignals, ourName } from "../../base/index.ts";
import { hubLog, type LogLevel } from "../../hub-errors/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";

export interface GatewayOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
  readonly hubKey?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecureLan?: boolean;
  readonly logLevel: LogLevel;
}

/** Relays between a hub and its devices until a signal ends it. It has no home: it keeps nothing. */
export async function gateway(options: GatewayOptions): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  const started = await start(options);
  if (options.json) printJson({ url: started.url, pid: process.pid });
  else printLines(startLines(started, options));
  await stopped;
  await started.close();
  signals.off();
  return EXIT.ok;
}

async function start(options: GatewayOptions): Promise<Gateway> {
  const { port, host, hubKey, insecureLan } = options;
  try {
    return await startGateway({
      log: hubLog(options.logLevel),
      hubKey,
      tls: readTls(options),
      ...(port === undefined ? {} : { port }),
      ...(host === undefined ? {} : { host }),
      ...(insecureLan === undefined ? {} : { insecureLan }),
    });
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
  }
}

function readTls({ cert, key }: GatewayOptions): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new StartError("CONFIG_INVALID", "Give both --cert and --key.");
  try {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch (cause) {
    throw new StartError("CONFIG_INVALID", `The certificate can't be read (${(cause as Error).message}).`, { cause });
  }
}

function startLines({ url }: Gateway, { hubKey }: GatewayOptions): string[] {
  const name = ourName();
  return [
    `The gateway relays at ${url}. It sees who talks to whom, not what.`,
    `On the hub's machine: ${name} serve --gateway ${url}`,
    ...(hubKey
      ? []
      : ["It takes the first hub that comes; --hub-key names the one that may (serve --gateway prints it)."]),
  ];
}
