import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import { visible } from "@countersign/sdk";
import { uuidv7 } from "uuidv7";
import { CliError } from "../../cli-error.ts";
import { byteLinesOf } from "../../connect/lines-of.ts";
import { EXIT } from "../../exit-codes.ts";
import { McpProxy } from "./proxy.ts";

export interface ProxyPlan {
  readonly homeDir: string;
  readonly server: string;
  readonly words: readonly string[];
}

/** Far above what servers send and clients take; an endless line must end somewhere. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Between asking a server to end and making it. */
const GRACE_MS = 2_000;

/** Starts the server and stands before it until one of the two ends. Ends as the server does. */
export async function runProxy({ homeDir, server, words }: ProxyPlan): Promise<number> {
  const child = await start(words);
  const warn = (sentence: string) => process.stderr.write(`countersign: ${visible(sentence)}\n`);
  const toServer = writerTo(child.stdin as Writable);
  const toClient = writerTo(process.stdout);
  const proxy = new McpProxy({ homeDir, server, session: `mcp:${uuidv7()}`, toServer, toClient, warn });
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  const fromServer = pump(child.stdout, (line) => proxy.fromServer(line));
  const fromClient = pump(process.stdin, (line) => proxy.fromClient(line));
  const first = await Promise.race([
    ended.then(() => "server" as const),
    Promise.race([
      fromClient,
      fromServer.then((why) => why ?? new Promise<never>(() => undefined)),
      aborted(stop.signal),
    ]).then((why) => ({ why })),
  ]);
  if (first === "server") {
    // What it wrote last is still on its way.
    await Promise.race([fromServer, delay(GRACE_MS)]);
    const [code, signal] = await ended;
    const how = `The MCP server ${server} ended (${signal ?? `exit code ${code}`})`;
    await proxy.serverEnded(how);
    if (code !== 0) warn(`${how}.`);
    process.stdin.destroy();
    return exitCodeOf(code, signal);
  }
  if (first.why) warn(first.why);
  await proxy.end("The client went away");
  await endServer(child, ended);
  process.stdin.destroy();
  return first.why ? EXIT.failed : EXIT.ok;
}

async function start([program = "", ...args]: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env: withoutOurs(process.env) });
  try {
    await once(child, "spawn");
  } catch (cause) {
    const why =
      (cause as NodeJS.ErrnoException).code === "ENOENT" ? "isn't on PATH" : `can't be started (${String(cause)})`;
    throw new CliError("FAILED", `${program} ${why}. Check the command after \`--\`.`, {
      exitCode: EXIT.couldNot,
      cause,
    });
  }
  return child;
}

/** A token of the hub is nothing for a server that somebody else wrote. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("COUNTERSIGN_")));
}

/** Hands on line after line, no faster than they are taken; resolves at the end, with a reason where that was a limit. */
async function pump(
  stream: AsyncIterable<unknown> | null,
  take: (line: Buffer) => Promise<void>,
): Promise<string | undefined> {
  try {
    for await (const line of byteLinesOf(stream as Parameters<typeof byteLinesOf>[0], MAX_LINE_BYTES)) await take(line);
    return undefined;
  } catch (cause) {
    return cause instanceof CliError ? cause.message : undefined;
  }
}

const NEWLINE = Buffer.from("\n");

function writerTo(stream: Writable): (line: string | Uint8Array) => Promise<void> {
  // Whoever is at the other end is noticed to be gone where reading from it ends.
  stream.on("error", () => undefined);
  return async (line) => {
    if (!stream.writable) return;
    const whole = typeof line === "string" ? `${line}\n` : Buffer.concat([line, NEWLINE]);
    if (!stream.write(whole)) await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => undefined);
  };
}

async function endServer(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await Promise.race([ended.then(() => true), delay(GRACE_MS)])) return;
    child.kill(signal);
  }
  await ended;
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
}

function delay(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
