import { join, resolve } from "node:path";
import { visible } from "@countersign/protocol/text";
import { type Address, CaError, type Relay, startRelay } from "@countersign/sandbox";
import { CliError, EXIT, type GlobalOptions, homeDirOf, onSignals } from "../base/index.ts";
import type { LogLevel } from "../hub-errors/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { caDirOf } from "./ca-dir.ts";
import { lateLog } from "./late-log.ts";

export interface RelayOptions extends GlobalOptions {
  readonly listen: Address;
  readonly health: Address;
  readonly ca?: string;
  readonly bundle?: string;
  readonly crl?: string;
  readonly recorder?: string;
  readonly spool?: string;
  readonly logLevel: LogLevel;
}

/** Takes frames from sandboxes' proxies to the recorder until a signal ends it. */
export async function relay(options: RelayOptions): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  const recorder = resolve(options.recorder ?? join(homeDirOf(options), "run", "recorder.sock"));
  const started = await start(options, recorder);
  const [url, health] = [`https://${at(started.address)}`, `http://${at(started.health)}`];
  if (options.json) printJson({ url, health, recorder, pid: process.pid });
  else {
    printLines([
      `The relay takes sandboxes' frames at ${url}, each by its own certificate.`,
      `  recorder ${visible(recorder)}`,
      `  health   ${health}/healthz, ${health}/metrics`,
    ]);
  }
  await stopped;
  await started.close();
  signals.off();
  return EXIT.ok;
}

async function start(options: RelayOptions, recorder: string): Promise<Relay> {
  const { listen, health } = options;
  try {
    return await startRelay({
      ...{ listen, health, recorder },
      bundle: resolve(options.bundle ?? join(caDirOf(options), "relay.pem")),
      crl: resolve(options.crl ?? join(caDirOf(options), "crl.pem")),
      spool: resolve(options.spool ?? join(homeDirOf(options), "execd-spool")),
      log: lateLog(options.logLevel),
    });
  } catch (cause) {
    if (cause instanceof CaError)
      throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    const remedy =
      code === "EADDRINUSE" ? "Give another address with --listen or --health." : "Fix that, or give another.";
    throw new CliError("FAILED", `The relay can't start: ${message}. ${remedy}`, { cause });
  }
}

function at({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
