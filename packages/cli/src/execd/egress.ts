import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { visible } from "@countersign/protocol/text";
import { parseJson } from "@countersign/receipts";
import {
  type Address,
  clearEgress,
  type Egress,
  EgressError,
  type SandboxView,
  startEgress,
} from "@countersign/sandbox";
import * as z from "zod";
import { CliError, EXIT, type GlobalOptions, homeDirOf, onSignals } from "../base/index.ts";
import type { LogLevel } from "../hub-errors/index.ts";
import { printJson, printLines, table } from "../terminal/index.ts";
import { lateLog } from "./late-log.ts";
import { askObserver } from "./observer-client.ts";

interface RuleOptions extends GlobalOptions {
  readonly allow?: readonly string[];
  readonly open?: readonly string[];
  readonly policy?: string;
}

interface SocketOptions extends GlobalOptions {
  readonly socket?: string;
}

export interface EgressOptions extends RuleOptions, SocketOptions {
  readonly sandbox?: readonly string[];
  readonly relay?: Address;
  readonly recorder?: string;
  readonly state?: string;
  readonly interim?: number;
  readonly sweep?: number;
  readonly logGroup?: number;
  readonly removeRules?: boolean;
  readonly logLevel: LogLevel;
}

/** Observes until a signal ends it. */
export async function egress(options: EgressOptions): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  const started = await told(() => start(options));
  const sandboxes = started.list().map(({ id }) => id);
  const [socket, recorder] = [socketOf(options), recorderOf(options)];
  if (options.json) printJson({ sandboxes, socket, recorder, pid: process.pid });
  else
    printLines([
      `What leaves ${sandboxes.length === 1 ? "a sandbox" : `${sandboxes.length} sandboxes`} is observed.`,
      `  rules    ${options.removeRules ? "taken away" : "they stay"} when this ends`,
      `  orders   ${visible(socket)}`,
      `  recorder ${visible(recorder)}`,
    ]);
  await Promise.race([stopped, started.ending]);
  await started.close({ removeRules: options.removeRules ?? false });
  signals.off();
  return EXIT.ok;
}

async function start(options: EgressOptions): Promise<Egress> {
  const rules = rulesOf(options);
  return await startEgress({
    sandboxes: (options.sandbox ?? []).map((what) => ({ ...wishOf(what), ...rules })),
    ...{ recorder: recorderOf(options), state: stateOf(options), socket: socketOf(options) },
    ...{ relay: options.relay, group: options.logGroup, log: lateLog(options.logLevel) },
    limits: {
      ...(options.interim === undefined ? {} : { interimMs: 1_000 * options.interim }),
      ...(options.sweep === undefined ? {} : { sweepMs: 1_000 * options.sweep }),
    },
  });
}

export async function add(what: string, options: RuleOptions & SocketOptions): Promise<number> {
  const wish = wishOf(what);
  await told(() => askObserver(socketOf(options), { op: "add", ...wish, ...rulesOf(options) }));
  if (options.json) printJson({ added: wish.id });
  else printLines([`${visible(wish.id)} is observed.`]);
  return EXIT.ok;
}

export async function remove(id: string, options: SocketOptions): Promise<number> {
  await told(() => askObserver(socketOf(options), { op: "remove", id }));
  if (options.json) printJson({ removed: id });
  else printLines([`${visible(id)} isn't observed any more; its flows are ended and told.`]);
  return EXIT.ok;
}

export async function list(options: SocketOptions): Promise<number> {
  const { sandboxes } = (await told(() => askObserver(socketOf(options), { op: "list" }))) as {
    sandboxes: readonly SandboxView[];
  };
  if (options.json) printJson({ sandboxes });
  else
    printLines(
      table([["SANDBOX", "WHERE", "REACHES", "FLOWS", "BLOCKED", "WAITING", "DROPPED"], ...sandboxes.map(rowOf)]),
    );
  return EXIT.ok;
}

/** Only where no observer runs with that state: one that does has its own way. */
export async function clear(options: GlobalOptions & { readonly state?: string }): Promise<number> {
  const wereThere = await told(() => clearEgress(stateOf(options)));
  if (options.json) printJson({ cleared: wereThere });
  else
    printLines([
      wereThere ? "The rules are taken away: nothing is blocked or counted any more." : "There were no rules.",
    ]);
  return EXIT.ok;
}

function rowOf({ id, target, allow, flows, blocked, waiting, dropped }: SandboxView): string[] {
  const reaches = allow === undefined ? "all but the floor" : `${allow.length} rules`;
  return [visible(id), visible(target), reaches, ...[flows, blocked, waiting, dropped].map(String)];
}

const policySchema = z.strictObject({ allow: z.array(z.string()).optional(), open: z.array(z.string()).optional() });

/** A file that can't be read allows nothing: it is an error. */
function rulesOf({ allow, open, policy }: RuleOptions): { readonly allow?: string[]; readonly open?: string[] } {
  const file = policy === undefined ? {} : readPolicyFile(policy);
  const [allows, opens] = [
    [...(file.allow ?? []), ...(allow ?? [])],
    [...(file.open ?? []), ...(open ?? [])],
  ];
  const isList = file.allow !== undefined || allow !== undefined;
  return { ...(isList ? { allow: allows } : {}), ...(opens.length > 0 ? { open: opens } : {}) };
}

function readPolicyFile(path: string): z.infer<typeof policySchema> {
  try {
    return policySchema.parse(parseJson(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new CliError(
      "UNREADABLE",
      `${visible(path)} isn't a policy: {"allow": […], "open": […]} with texts in them.`,
      { cause },
    );
  }
}

function wishOf(what: string): { readonly id: string; readonly target: string } {
  const [, id, target] = /^([^=]+)=(.+)$/.exec(what) ?? [];
  if (id === undefined || target === undefined)
    throw new CliError("FAILED", "A sandbox is given as <id>=<veth, namespace or addresses>.", {
      exitCode: EXIT.usage,
    });
  return { id, target };
}

function socketOf(options: SocketOptions): string {
  return resolve(options.socket ?? join(homeDirOf(options), "run", "egress.sock"));
}

function recorderOf(options: EgressOptions): string {
  return resolve(options.recorder ?? join(homeDirOf(options), "run", "recorder.sock"));
}

function stateOf(options: GlobalOptions & { readonly state?: string }): string {
  return resolve(options.state ?? join(homeDirOf(options), "execd-egress"));
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof EgressError)
      throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
    const { code, message } = cause as NodeJS.ErrnoException;
    if (cause instanceof CliError || code === undefined) throw cause;
    throw new CliError("FAILED", `The observer can't do that: ${message}`, { cause });
  }
}
