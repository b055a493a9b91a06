import { join, resolve } from "node:path";
import { quoteWords, visible } from "@countersign/protocol/text";
import { type Authority, CaError, type Issued, initCa, openCa, RELAY_MS, SANDBOX_MS } from "@countersign/sandbox";
import { CliError, EXIT, ourName, readDuration } from "../base/index.ts";
import { printJson, printLines, table } from "../terminal/index.ts";
import { type CaOptions, caDirOf } from "./ca-dir.ts";

export interface InitOptions extends CaOptions {
  readonly crl?: string;
}

export interface IssueOptions extends CaOptions {
  readonly relay?: boolean;
  readonly host?: readonly string[];
  readonly out?: string;
  readonly for?: string;
  readonly renew?: boolean;
}

export async function init(options: InitOptions): Promise<number> {
  const state = await told(() => initCa(caDirOf(options), options.crl, Date.now()));
  if (options.json) printJson(state);
  else {
    const where = options.ca === undefined ? "" : ` --ca ${visible(quoteWords([options.ca]))}`;
    printLines([
      `A CA for sandboxes is in ${visible(state.dir)}; its key is for this user alone.`,
      `  revoked  ${visible(state.crl)}`,
      `  sha256   ${state.fingerprint}`,
      `Next: ${ourName()} execd ca issue${where} --relay --host <name by which sandboxes reach the relay>`,
    ]);
  }
  return EXIT.ok;
}

export async function issue(sandboxId: string | undefined, options: IssueOptions): Promise<number> {
  if ((sandboxId === undefined) === !options.relay)
    throw usage("Give a sandbox's id, or --relay with --host for the relay's own certificate.");
  if (!options.relay && options.host !== undefined) throw usage("--host is for the relay's own certificate (--relay).");
  const nowMs = Date.now();
  const issued = await told(async () => {
    const ca = await openCa(caDirOf(options));
    const out = resolve(options.out ?? join(caDirOf(options), options.relay ? "relay.pem" : `${sandboxId}.pem`));
    const wish = { out, validMs: validMsOf(options, nowMs), renew: options.renew ?? false };
    return await issueWith(ca, { sandboxId, hosts: options.host ?? [], wish, nowMs });
  });
  if (options.json) printJson(shown(issued));
  else {
    const whom = options.relay ? "the relay" : `the sandbox ${visible(issued.name)}`;
    printLines([
      `${visible(issued.file)} has the key and the certificate of ${whom}, good until ${at(issued.notAfterMs)}.`,
      `  serial   ${issued.serial}`,
    ]);
  }
  return EXIT.ok;
}

interface Wish {
  readonly sandboxId: string | undefined;
  readonly hosts: readonly string[];
  readonly wish: Parameters<Authority["issueForSandbox"]>[1];
  readonly nowMs: number;
}

function issueWith(ca: Authority, { sandboxId, hosts, wish, nowMs }: Wish): ReturnType<Authority["issueForSandbox"]> {
  return sandboxId === undefined ? ca.issueForRelay(hosts, wish, nowMs) : ca.issueForSandbox(sandboxId, wish, nowMs);
}

export async function revoke(which: string, options: CaOptions): Promise<number> {
  const revoked = await told(async () => (await openCa(caDirOf(options))).revoke(which, Date.now()));
  if (options.json) printJson(revoked.map(shown));
  else {
    const lines = revoked.map(({ name, serial }) => `Revoked: ${visible(name)}, serial ${serial}.`);
    printLines([...lines, ...[...new Set(revoked.map(({ kind }) => AFTER_REVOKING[kind]))]]);
  }
  return EXIT.ok;
}

/** Only relays read the list. */
const AFTER_REVOKING: Readonly<Record<Issued["kind"], string>> = {
  sandbox: "A relay that runs closes its connections within a second.",
  relay:
    "Proxies read no list of what is revoked: they trust this relay's certificate until it ends. Where others may have its key, make another CA.",
};

export async function list(options: CaOptions): Promise<number> {
  const issued = await told(async () => (await openCa(caDirOf(options))).list());
  if (options.json) printJson(issued.map(shown));
  else if (issued.length === 0) printLines(["No certificate has been issued."]);
  else {
    const nowMs = Date.now();
    const rows = issued.map((one) => [
      one.kind,
      visible(one.name),
      stateOf(one, nowMs),
      at(one.notAfterMs),
      one.serial,
    ]);
    printLines(table([["KIND", "NAME", "STATE", "UNTIL", "SERIAL"], ...rows]));
  }
  return EXIT.ok;
}

function shown({ notBeforeMs, notAfterMs, revokedAtMs, ...rest }: Issued) {
  const issued = { notBeforeMs, notAfterMs, revokedAtMs, ...rest };
  return {
    ...rest,
    state: stateOf(issued, Date.now()),
    notBefore: at(notBeforeMs),
    notAfter: at(notAfterMs),
    revokedAt: revokedAtMs === null ? null : at(revokedAtMs),
  };
}

function stateOf({ revokedAtMs, notAfterMs }: Issued, nowMs: number): "good" | "revoked" | "expired" {
  if (revokedAtMs !== null) return "revoked";
  return notAfterMs > nowMs ? "good" : "expired";
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}

function validMsOf({ relay, for: span }: IssueOptions, nowMs: number): number {
  if (span === undefined) return relay ? RELAY_MS : SANDBOX_MS;
  const untilMs = readDuration(span, { nowMs, sign: 1 });
  if (untilMs === undefined) throw usage("--for is a span like 12h or 7d, or a date.");
  return untilMs - nowMs;
}

function usage(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CaError)
      throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new CliError("FAILED", `The CA's files can't be used: ${message}`, { cause });
  }
}
