import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { CliError, EXIT } from "../base/index.ts";
import { pump, writerTo } from "./streams.ts";
import type { Ended, Upstream } from "./upstream.ts";

/** Between asking a server to end and making it. */
const GRACE_MS = 2_000;

/** A server that is a program, spoken to through its stdin and stdout; its stderr is ours. */
export async function startServer(words: readonly string[]): Promise<Upstream> {
  const child = await start(words);
  const send = writerTo(child.stdin as Writable);
  const ended = (once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>).then(endOf);
  return {
    send,
    ended,
    receive: (take) => pump(child.stdout as Readable, take),
    stop: () => stop(child, ended),
  };
}

async function start([program = "", ...args]: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env: withoutOurs(process.env) });
  try {
    await once(child, "spawn");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "isn't on PATH" : `can't be started (${String(cause)})`;
    const message = `${program} ${why}. Check the command after \`--\`.`;
    throw new CliError("FAILED", message, { exitCode: EXIT.couldNot, cause });
  }
  return child;
}

/** A token of the hub is nothing for a server that somebody else wrote. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("COUNTERSIGN_")));
}

function endOf([code, signal]: [number | null, NodeJS.Signals | null]): Ended {
  if (code !== null) return { exitCode: code, how: `exit code ${code}` };
  return { exitCode: 128 + (signal === null ? 0 : constants.signals[signal]), how: signal ?? "a signal" };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await Promise.race([ended.then(() => true), delay(GRACE_MS)])) return;
    child.kill(signal);
  }
  await ended;
}

function delay(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
