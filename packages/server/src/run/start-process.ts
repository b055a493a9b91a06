import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../clock.ts";
import type { Withdrawal } from "../propose/withdrawal.ts";
import { CappedOutput } from "./output.ts";
import { ProcessGroup } from "./process-group.ts";

export interface ProcessPlan {
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** For each of stdout and stderr. */
  readonly maxOutputBytes: number;
}

type ProcessEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed-out" | "aborted" }
  /** Nothing was started. */
  | { readonly kind: "not-started"; readonly reason: string };

export interface ProcessResult {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Cut = "timed-out" | "aborted";

/**
 * One shell boundary: bash gets the command as one argument, in its own session and process group, with no input.
 * Resolves when the shell has ended and its output is read, or the grace for those who hold it open is over.
 */
export async function startProcess(plan: ProcessPlan, clock: Clock, withdrawal: Withdrawal): Promise<ProcessResult> {
  const stdout = new CappedOutput(plan.maxOutputBytes);
  const stderr = new CappedOutput(plan.maxOutputBytes);
  const end = await runToEnd(plan, { clock, withdrawal, stdout, stderr });
  const truncated = stdout.truncated || stderr.truncated;
  return { end, stdout: stdout.toText(), stderr: stderr.toText(), truncated };
}

async function runToEnd(
  plan: ProcessPlan,
  rooms: { clock: Clock; withdrawal: Withdrawal; stdout: CappedOutput; stderr: CappedOutput },
): Promise<ProcessEnd> {
  let child: Child;
  try {
    child = spawnShell(plan);
  } catch (cause) {
    return notStarted(cause);
  }
  if (child.pid === undefined)
    return new Promise((resolve) => child.once("error", (cause) => resolve(notStarted(cause))));
  const group = new ProcessGroup(child.pid, rooms.clock);
  child.stdout.on("data", (chunk: Buffer) => rooms.stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => rooms.stderr.push(chunk));
  let cut: Cut | undefined;
  const stop = (why: Cut) => {
    cut ??= why;
    group.end(plan.killGraceMs);
  };
  const timeout = rooms.clock.after(plan.timeoutMs, () => stop("timed-out"));
  const forget = rooms.withdrawal.onWithdrawn(() => stop("aborted"));
  try {
    const end = await shellEnd(child);
    await outputRead(child, plan.killGraceMs, rooms.clock);
    return cut ? { kind: cut } : end;
  } finally {
    timeout.cancel();
    forget();
    group.finish();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function spawnShell(plan: ProcessPlan): Child {
  return spawn(plan.shell, ["--noprofile", "--norc", "-c", plan.command], {
    cwd: plan.cwd,
    env: plan.env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function shellEnd(child: Child): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => {
      resolve(signal ? { kind: "signalled", signal } : { kind: "exited", exitCode: exitCode ?? 0 });
    });
  });
}

/** Somebody in the group may still hold the output open after the shell has ended: they get the grace and no more. */
function outputRead(child: Child, graceMs: number, clock: Clock): Promise<void> {
  if (child.stdout.readableEnded && child.stderr.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    const grace = clock.after(graceMs, resolve);
    child.once("close", () => {
      grace.cancel();
      resolve();
    });
  });
}

function notStarted(cause: unknown): ProcessEnd {
  const { code, message } = cause as NodeJS.ErrnoException;
  const why = code === "E2BIG" ? "the command and its environment are too long for this system" : message;
  return { kind: "not-started", reason: `bash could not be started: ${why}` };
}
