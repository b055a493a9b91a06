import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type LocalExecd, startLocalExecd } from "@countersign/execd-dev";
import { visible } from "@countersign/protocol/text";
import { ACCESS_TOKEN } from "@countersign/sandbox";
import { CliError, EXIT, type GlobalOptions, homeDirOf, onSignals } from "../base/index.ts";
import type { LogLevel } from "../hub-errors/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { lateLog } from "./late-log.ts";
import type { OpenJail } from "./open-jail.ts";

export interface ServeOptions extends GlobalOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly tokenFile?: string;
  readonly workspace?: string;
  /** False with --no-jail. */
  readonly jail: boolean;
  readonly network?: boolean;
  /** Directories of which isolated sessions may have something bound, besides the workspace. */
  readonly allowBind: readonly string[];
  readonly logLevel: LogLevel;
}

/** An execd on this machine, until a signal ends it and what it runs. */
export async function serve(options: ServeOptions): Promise<number> {
  const token = options.tokenFile === undefined ? undefined : readToken(options.tokenFile);
  if (!options.jail && options.network) throw usage("--network is for the jail: without one, the network is there.");
  if (!options.jail && options.allowBind.length > 0)
    throw usage("--allow-bind is for isolated sessions, which have jails.");
  const asked = directoryAt(options.workspace ?? ".");
  const log = lateLog(options.logLevel);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  const opened = await jailFor(options, asked);
  const { workspace: directory = asked, jail, isolator, env } = opened ?? {};
  const onBug = (cause: unknown) => log.error({ err: cause }, "something unforeseen happened");
  try {
    const start = { ...options.listen, token, directory, jail, isolator, onBug, ...(env && { env }) };
    const execd = await startLocalExecd(start).catch(asRefused(options));
    tell(execd, { options, directory });
    await stopped;
    await execd.close();
  } finally {
    await opened?.close();
    signals.off();
  }
  return EXIT.ok;
}

/** Loaded only where there is to be one. */
async function jailFor(options: ServeOptions, workspace: string): Promise<OpenJail | undefined> {
  if (!options.jail) return undefined;
  const { openJail } = await import("./open-jail.ts");
  const { network = false, logLevel } = options;
  const allowed = options.allowBind.map(directoryAt);
  return await openJail({ workspace, homeDir: homeDirOf(options), network, allowed, logLevel });
}

function tell({ url }: LocalExecd, { options, directory }: { options: ServeOptions; directory: string }): void {
  const { jail, network = false } = options;
  if (options.json) {
    const token = options.tokenFile !== undefined;
    printJson({ url, workspace: directory, token, jail: jail ? { network } : null, pid: process.pid });
    return;
  }
  const reach = network
    ? "hosts elsewhere, and nothing of this machine"
    : "nothing; --network lets it reach hosts elsewhere";
  printLines([
    `A local execd answers on ${url}`,
    `  workspace  ${visible(directory)}`,
    ...(jail
      ? ["  jail       bubblewrap: it writes to the workspace and a /tmp of its own", `  network    ${reach}`]
      : ["  jail       none: what it is asked for runs as this user, with all that this user may do"]),
    options.tokenFile === undefined
      ? "  token      none: every program on this machine may use it; --token-file asks for one"
      : `  token      asked for in ${ACCESS_TOKEN}`,
  ]);
}

function usage(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}

function directoryAt(asked: string): string {
  const directory = resolve(asked);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new CliError("FAILED", `${visible(directory)} isn't a directory. Create it first.`, { exitCode: EXIT.usage });
}

function readToken(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new CliError(
      "UNREADABLE",
      `The token can't be read from ${visible(file)}: ${visible((cause as NodeJS.ErrnoException).code ?? "")}. Create it, readable by this user only: \`openssl rand -hex 32 > ${visible(file)}\`.`,
      {
        exitCode: EXIT.usage,
        cause,
      },
    );
  }
  if (/^[\x21-\x7e]{1,1024}$/.test(text)) return text;
  const message = `${visible(file)} must hold one line of visible letters, at most 1024 of them, without spaces.`;
  throw new CliError("FAILED", message, { exitCode: EXIT.usage });
}

function asRefused({ listen }: ServeOptions): (cause: unknown) => never {
  return (cause) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    const where = `${listen.host}:${listen.port}`;
    const why =
      code === "EADDRINUSE"
        ? `Something listens on ${where} already: end it, or give another address with --listen.`
        : `It can't listen on ${where}: ${message}`;
    throw new CliError("FAILED", why, { cause });
  };
}
