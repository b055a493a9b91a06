import type { Readable } from "node:stream";
import type { Clock, Timer } from "@countersign/core/base";
import type { OutcomeCode } from "@countersign/protocol/proposals";
import type { Decider } from "@countersign/vocabulary";
import type { Attachment } from "./attachment.ts";
import { BwrapStatus } from "./bwrap-status.ts";
import type { Launch } from "./launch.ts";
import type { PseudoTerminal } from "./pseudo-terminal.ts";
import { RunOutput } from "./run-output.ts";
import { MAX_SHELL_REPORT_BYTES, readShellReport, type ShellReport } from "./shell-report.ts";
import type { Child } from "./spawn-child.ts";
import { type Launched, spawnLaunch } from "./spawn-launch.ts";
import { StartGate } from "./start-gate.ts";
import type { Withdrawal } from "./withdrawal.ts";

export interface ProcessPlan {
  readonly launch: Launch;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** For each of stdout and stderr. */
  readonly maxOutputBytes: number;
  /** Where it is written to, for those who read along. */
  readonly output?: RunOutput;
  /** Whoever claimed it. */
  readonly attachment?: Attachment | undefined;
}

type ProcessEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed-out" | "aborted" }
  /** Something of its jail was lost while it ran. */
  | { readonly kind: "interrupted"; readonly code: OutcomeCode; readonly reason: string }
  /** Nothing was started. */
  | { readonly kind: "not-started" | "jail-refused"; readonly reason: string; readonly by?: Decider };

export interface ProcessResult {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** What its shell told when it left. */
  readonly shellReport?: ShellReport;
}

type Cut = "timed-out" | "aborted";

/**
 * Starts the launch in its own session and process group; input has only what somebody claimed. Resolves when the shell has ended and its output is
 * read, or the grace for those who hold it open is over. What it said is filtered.
 */
export async function startProcess(plan: ProcessPlan, clock: Clock, withdrawal: Withdrawal): Promise<ProcessResult> {
  const output = plan.output ?? new RunOutput(plan.maxOutputBytes);
  const { attachment } = plan;
  const forget = attachment && output.onText((stream, text) => attachment.write(stream, text));
  const { end, shellReport } = await runToEnd(plan, output, { clock, withdrawal }).finally(forget);
  if (end.kind === "jail-refused" || end.kind === "not-started") {
    output.restart();
    return { end, stdout: "", stderr: "", truncated: false };
  }
  const { truncated } = output;
  const said = { stdout: output.toText("stdout"), stderr: output.toText("stderr"), truncated };
  return { end, ...said, ...(shellReport && { shellReport }) };
}

interface Ended {
  readonly end: ProcessEnd;
  readonly shellReport?: ShellReport | undefined;
}

async function runToEnd(
  plan: ProcessPlan,
  output: RunOutput,
  { clock, withdrawal }: { readonly clock: Clock; readonly withdrawal: Withdrawal },
): Promise<Ended> {
  const { attachment } = plan;
  const launched = await started(plan.launch, attachment);
  if ("reason" in launched) return { end: launched };
  const { child, terminal } = launched;
  const { told } = child;
  const status = told ? new BwrapStatus() : undefined;
  const group = new ProcessGroup(child.pid, clock, {
    ...(status && { jail: status }),
    ...(terminal && { terminal }),
  });
  const pace = () => attachment?.whenTaken();
  pour(child.stdout, (chunk) => output.write("stdout", chunk), pace);
  pour(child.stderr, (chunk) => output.write("stderr", chunk), pace);
  const shellReport = child.shellReport && gather(child.shellReport, MAX_SHELL_REPORT_BYTES);
  const unplug = attachment?.plug({ input: child.stdin, resize: (size) => terminal?.resize(size) });
  const gate = gateOf(child, plan.launch, () => group.kill());
  told?.on("data", (chunk: Buffer) => {
    status?.push(chunk);
    if (status?.childPid !== undefined) gate?.look(status.childPid);
  });
  let cut: Cut | undefined;
  const over = Promise.withResolvers<void>();
  const timeout = clock.after(plan.timeoutMs, () => {
    cut ??= "timed-out";
    group.end(plan.killGraceMs);
    over.resolve();
  });
  const forget = withdrawal.onWithdrawn(() => {
    cut ??= "aborted";
    group.kill();
    over.resolve();
  });
  try {
    const end = asEnd(await child.ended);
    // bwrap alone holds this pipe, and has ended. Whoever doesn't read to its end may take a command that ran, while the hub
    // was too busy to read, for one that never did, and start it again.
    if (told) await allRead(told);
    status?.kill();
    // Of a jail nobody is left who could hold the output open, and who claimed it may read as slowly as they like.
    if (attachment && status) await Promise.race([allOutputRead(child), over.promise]);
    await outputRead(child, plan.killGraceMs, clock);
    output.flush();
    // Before anything else: what ran may be anything, also where its time was over or somebody ended it.
    const lost = await gate?.lost();
    if (lost !== undefined) return { end: interrupted(lost) };
    if (gate?.refused !== undefined && !cut) return { end: { kind: "jail-refused", reason: gate.refused } };
    if (cut) return { end: { kind: cut } };
    return {
      end: status ? jailedEnd(end, status, output) : end,
      shellReport: shellReport && readShellReport(shellReport()),
    };
  } finally {
    unplug?.();
    timeout.cancel();
    forget();
    group.kill();
    gate?.close();
    // Asked for above, unless something failed: then it is to be released all the same.
    await gate?.lost();
    for (const stream of [child.stdin, child.stdout, child.stderr, told, child.shellReport]) stream?.destroy();
  }
}

/** A chunk in each turn: one command that floods the hub must not keep the others waiting. Nor more than somebody takes. */
function pour(stream: Readable, take: (chunk: Buffer) => void, pace: () => Promise<void> | undefined): void {
  stream.on("data", (chunk: Buffer) => {
    take(chunk);
    stream.pause();
    const waits = pace();
    if (waits) waits.then(() => stream.resume());
    else setImmediate(() => stream.resume());
  });
}

/** What came so far, which is all that is kept. */
function gather(stream: Readable, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks);
}

async function started(
  launch: Launch,
  attachment: Attachment | undefined,
): Promise<Launched | Extract<ProcessEnd, { reason: string }>> {
  try {
    return await spawnLaunch(launch, { input: attachment?.wantsInput ?? false });
  } catch (cause) {
    return refusal(cause, launch.jail !== undefined);
  }
}

function gateOf({ gate }: Child, { jail }: Launch, kill: () => void): StartGate | undefined {
  return gate && jail?.isSound ? new StartGate(gate, { isSound: jail.isSound, hold: jail.hold, kill }) : undefined;
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

function interrupted(lost: string): Extract<ProcessEnd, { kind: "interrupted" }> {
  const what =
    lost === "" ? "What the jail held in place can't be told any more" : `${lost} was replaced, moved or changed`;
  const reason = `${what} while the command ran: what ran may not be what was approved. Every process of it was killed`;
  return { kind: "interrupted", code: "MOUNT_LOST", reason };
}

const MAX_REASON = 500;

/** Somebody in the group may still hold the output open after the shell has ended: they get the grace and no more. */
async function outputRead(child: Child, graceMs: number, clock: Clock): Promise<void> {
  const grace = Promise.withResolvers<void>();
  const timer = clock.after(graceMs, grace.resolve);
  await Promise.race([allOutputRead(child), grace.promise]);
  timer.cancel();
}

async function allOutputRead({ stdout, stderr, shellReport }: Child): Promise<void> {
  await Promise.all([stdout, stderr, shellReport].map((stream) => stream && allRead(stream)));
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

interface Around {
  readonly jail?: Pick<BwrapStatus, "childPid" | "kill">;
  readonly terminal?: Pick<PseudoTerminal, "foregroundGroup">;
}

/** A child and everything that stayed in its process group or, in a jail, in its namespace. */
class ProcessGroup {
  readonly #leaderPid: number;
  readonly #clock: Clock;
  readonly #around: Around;
  #kill: Timer | undefined;

  constructor(leaderPid: number, clock: Clock, around: Around = {}) {
    this.#leaderPid = leaderPid;
    this.#clock = clock;
    this.#around = around;
  }

  /**
   * TERM now, KILL after the grace for whoever ignores it. In a jail the group is another one: bwrap itself would die of a
   * TERM, and take everything with it before it could clean up. While the jail is being built there is only bwrap. On a terminal the
   * command has a session of its own.
   */
  end(graceMs: number): void {
    const { jail, terminal } = this.#around;
    const inside = terminal?.foregroundGroup() ?? jail?.childPid;
    const told = inside !== undefined && signalGroup(inside, "SIGTERM");
    if (!told) signalGroup(this.#leaderPid, "SIGTERM");
    this.#kill ??= this.#clock.after(graceMs, () => this.kill());
  }

  /** At once: all of the group and, with bwrap, its whole namespace. Nothing of a run outlives its record. */
  kill(): void {
    this.#kill?.cancel();
    signalGroup(this.#leaderPid, "SIGKILL");
    this.#around.jail?.kill();
  }
}

/** False when there is no such group, or nobody in it that is ours. */
function signalGroup(leaderPid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leaderPid, signal);
  } catch (cause) {
    // ESRCH: the whole group has ended, which is what we want. EPERM: what is left became another user's (sudo), and
    // isn't ours to end.
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw cause;
    return false;
  }
}
