import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Decider } from "@countersign/sdk";
import type { Clock } from "../clock.ts";
import { BwrapStatus } from "../jail/bwrap-status.ts";
import type { Launch } from "../jail/launch.ts";
import type { Withdrawal } from "../propose/withdrawal.ts";
import { type Child, spawnChild } from "./child/spawn-child.ts";
import { Gate } from "./gate.ts";
import { ProcessGroup } from "./process-group.ts";
import { RunOutput } from "./run-output.ts";

export interface ProcessPlan {
  readonly launch: Launch;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** For each of stdout and stderr. */
  readonly maxOutputBytes: number;
  /** Where it is written to, for those who read along. */
  readonly output?: RunOutput;
}

type ProcessEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed-out" | "aborted" }
  /** Nothing was started. */
  | { readonly kind: "not-started" | "jail-refused"; readonly reason: string; readonly by?: Decider };

export interface ProcessResult {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

type Cut = "timed-out" | "aborted";

/**
 * Starts the launch in its own session and process group, with no input. Resolves when the shell has ended and its output is
 * read, or the grace for those who hold it open is over. What it said is filtered.
 */
export async function startProcess(plan: ProcessPlan, clock: Clock, withdrawal: Withdrawal): Promise<ProcessResult> {
  const output = plan.output ?? new RunOutput(plan.maxOutputBytes);
  const end = await runToEnd(plan, output, { clock, withdrawal });
  if (end.kind === "jail-refused" || end.kind === "not-started") {
    output.restart();
    return { end, stdout: "", stderr: "", truncated: false };
  }
  return { end, stdout: output.toText("stdout"), stderr: output.toText("stderr"), truncated: output.truncated };
}

async function runToEnd(
  plan: ProcessPlan,
  output: RunOutput,
  rooms: { clock: Clock; withdrawal: Withdrawal },
): Promise<ProcessEnd> {
  const started = await spawnLaunch(plan.launch);
  if ("reason" in started) return started;
  const { child } = started;
  const { told } = child;
  const status = told ? new BwrapStatus() : undefined;
  const group = new ProcessGroup(child.pid, rooms.clock, status);
  pour(child.stdout, (chunk) => output.write("stdout", chunk));
  pour(child.stderr, (chunk) => output.write("stderr", chunk));
  const gate = gateOf(child, plan.launch, () => group.kill());
  told?.on("data", (chunk: Buffer) => {
    status?.push(chunk);
    if (status?.childPid !== undefined) gate?.look(status.childPid);
  });
  let cut: Cut | undefined;
  const timeout = rooms.clock.after(plan.timeoutMs, () => {
    cut ??= "timed-out";
    group.end(plan.killGraceMs);
  });
  const forget = rooms.withdrawal.onWithdrawn(() => {
    cut ??= "aborted";
    group.kill();
  });
  try {
    const end = asEnd(await child.ended);
    await outputRead(child, plan.killGraceMs, rooms.clock);
    // bwrap alone holds this pipe, and has ended. Whoever doesn't read to its end may take a command that ran, while the hub
    // was too busy to read, for one that never did, and start it again.
    if (told) await allRead(told);
    output.flush();
    if (gate?.refused && !cut) return NOT_SOUND;
    return cut ? { kind: cut } : status ? jailedEnd(end, status, output) : end;
  } finally {
    timeout.cancel();
    forget();
    group.kill();
    gate?.close();
    for (const stream of [child.stdout, child.stderr, told]) stream?.destroy();
  }
}

/** A chunk in each turn: one command that floods the hub must not keep the others waiting. */
function pour(stream: Readable, take: (chunk: Buffer) => void): void {
  stream.on("data", (chunk: Buffer) => {
    take(chunk);
    stream.pause();
    setImmediate(() => stream.resume());
  });
}

type Started = { readonly child: Child } | Extract<ProcessEnd, { reason: string }>;

async function spawnLaunch({ jail, ...launch }: Launch): Promise<Started> {
  const descriptors = jail?.descriptors ?? [];
  try {
    return { child: await spawnChild({ ...launch, descriptors, pipes: jail ? (jail.isSound ? 2 : 1) : 0 }) };
  } catch (cause) {
    return refusal(cause, jail !== undefined);
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function gateOf({ gate }: Child, { jail }: Launch, kill: () => void): Gate | undefined {
  return gate && jail?.isSound ? new Gate(gate, { isSound: jail.isSound, kill }) : undefined;
}

function asEnd(end: Awaited<Child["ended"]>): ProcessEnd {
  return "signal" in end ? { kind: "signalled", ...end } : { kind: "exited", ...end };
}

/**
 * bwrap tells the end as a shell would: a signal as 128 and its number, which is also how a program may exit. Which of them it
 * was isn't known here, so that the code is told as it is.
 */
function jailedEnd(bwrap: ProcessEnd, { exitCode }: BwrapStatus, output: RunOutput): ProcessEnd {
  // Somebody killed bwrap itself, and the command with it, which may have run: to say that it didn't would run it again.
  if (exitCode === undefined && bwrap.kind === "signalled") return bwrap;
  if (exitCode === undefined) {
    const why = output.toText("stderr").trim().slice(0, MAX_REASON);
    return { kind: "jail-refused", reason: `The jail could not be built: ${why || "bwrap gave no reason"}` };
  }
  return { kind: "exited", exitCode };
}

const NOT_SOUND = {
  kind: "jail-refused",
  reason: "The jail wasn't what it should have been: another run changed the workspace while it was built",
} as const;

const MAX_REASON = 500;

/** Somebody in the group may still hold the output open after the shell has ended: they get the grace and no more. */
async function outputRead({ stdout, stderr }: Child, graceMs: number, clock: Clock): Promise<void> {
  const grace = Promise.withResolvers<void>();
  const timer = clock.after(graceMs, grace.resolve);
  await Promise.race([Promise.all([allRead(stdout), allRead(stderr)]), grace.promise]);
  timer.cancel();
}

function allRead(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => stream.once("end", resolve).once("close", resolve));
}

function refusal(cause: unknown, jailed: boolean): Extract<ProcessEnd, { reason: string }> {
  const { code, message } = cause as NodeJS.ErrnoException;
  const why = code === "E2BIG" ? "the command and its environment are too long for this system" : message;
  const kind = jailed && code !== "E2BIG" ? "jail-refused" : "not-started";
  return { kind, reason: `${jailed ? "The jail" : "bash"} could not be started: ${why}` };
}
