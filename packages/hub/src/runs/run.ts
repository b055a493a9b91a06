import { strict as assert } from "node:assert";
import { HubError } from "@countersign/core/errors";
import { holdDirectory } from "@countersign/core/host";
import { knownSecrets } from "@countersign/core/redaction";
import {
  type Attachment,
  explainFailure,
  isApproved,
  JailError,
  type JailErrorCode,
  type Jailed,
  type JailReport,
  type JailRequest,
  type Jails,
  type Launch,
  type Openings,
  type ProcessPlan,
  type ProcessResult,
  type RunOutput,
  runInJail,
  snapshotCode,
  startProcess,
  unjailed,
  usesGit,
  type Withdrawal,
} from "@countersign/jail";
import type { Outcome } from "@countersign/protocol/proposals";
import { StoreError } from "@countersign/store";
import type { Decider } from "@countersign/vocabulary";
import { type CheckRooms, checkAgain, halted, type Permit } from "../permits/index.ts";
import { addedEnv, type Considered, carriesSecret, lend, sanitizedEnv } from "../proposals/index.ts";
import { type End, type RecordRooms, recordEnd, recordStart } from "../record/index.ts";
import type { Runs } from "./runs.ts";

export interface RunRooms extends CheckRooms, RecordRooms {
  readonly maxOutputBytes: number;
  /** Undefined where no jail can be built; then nothing was decided as if there were one. */
  readonly jails: Jails | undefined;
  readonly runs: Runs;
}

/** The proposer's side of a run. */
export interface RunControl {
  readonly withdrawal: Withdrawal;
  readonly output: RunOutput;
  /** For real, unless something else is said. */
  readonly stage?: Stage;
  /** Whoever claimed it and stays with it. */
  readonly attachment?: Attachment | undefined;
}

/** What a kind of permit is good for: how its jail is built, and what goes on record. */
export interface Stage {
  readonly kind: Permit["kind"];
  build(request: JailRequest, jails: Jails): Promise<Jailed>;
  recordStart(permit: Permit, rooms: RecordRooms, input?: Attachment["inputKind"]): Promise<void>;
  recordEnd(permit: Permit, end: End, rooms: RecordRooms): Promise<Outcome>;
}

const FOR_REAL: Stage = {
  kind: "local",
  build: (request, jails) => jails.build(request),
  recordStart,
  recordEnd,
};

/**
 * The only function that starts a proposed command. It takes a permit, looks at everything that the permit binds once
 * more, records the start, runs, and records the end.
 */
export async function run(permit: Permit, rooms: RunRooms, control: RunControl): Promise<Outcome> {
  const { withdrawal, stage = FOR_REAL } = control;
  assert.equal(permit.kind, stage.kind);
  const refusal = (await checkAgain(permit, rooms, withdrawal)) ?? tooMany(rooms);
  if (refusal) {
    const outcome: Outcome = { kind: "not-started", ...refusal };
    return await stage.recordEnd(permit, { outcome, from: "decided", reportedBy: "hub" }, rooms);
  }
  rooms.runs.add(withdrawal, { permit, startedAtMs: rooms.clock.wallMs() });
  let recorded: Outcome | undefined;
  try {
    await stage.recordStart(permit, rooms, control.attachment?.inputKind);
    const late = halted(permit, rooms, withdrawal);
    const outcome: Outcome = late
      ? { kind: "not-started", ...late }
      : await start(permit, rooms, { ...control, stage });
    recorded = await recordRunEnd(permit, outcome, rooms, stage);
    return recorded;
  } finally {
    rooms.runs.delete(withdrawal, recorded);
  }
}

/** A failure here must not be told as if nothing had been run. The next start of the hub records it as interrupted. */
async function recordRunEnd(permit: Permit, outcome: Outcome, rooms: RunRooms, stage: Stage): Promise<Outcome> {
  try {
    return await stage.recordEnd(permit, { outcome, from: "started", reportedBy: "hub" }, rooms);
  } catch (cause) {
    const why = cause instanceof StoreError ? cause.code : String(cause);
    const message = `The command was started and has ended (${outcome.kind}), but that could not be recorded: ${why}`;
    throw new HubError("INTERNAL", message, { cause });
  }
}

function tooMany({ runs, limits }: RunRooms): { reason: string } | undefined {
  return runs.running < limits.running
    ? undefined
    : { reason: `${runs.running} commands are running already (limit: running)` };
}

type StagedControl = RunControl & Required<Pick<RunControl, "stage">>;

/** A jail that can't be built is an outcome of its own, never a reason to go without. */
async function start(permit: Permit, rooms: RunRooms, control: StagedControl): Promise<Outcome> {
  const { considered } = permit;
  const { proposal, cut } = considered;
  const { shell, jails } = rooms;
  const { command, cwd, roots } = proposal;
  const env = sanitizedEnv(rooms.trustedPath.toString(), addedEnv(considered.profile, proposal));
  const launch = (what: Launch) => startLaunch(permit, what, { ...rooms, ...control });
  if (cut === undefined) {
    assert.equal(control.stage, FOR_REAL);
    return await startUnjailed(permit, (path) => launch(unjailed(shell, { command, cwd: path, env })));
  }
  try {
    assert(jails);
    const lent = lend(considered);
    // A value of any form may come back in the output.
    for (const [name, value] of Object.entries(lent.env)) if (carriesSecret(name)) knownSecrets.add(value);
    const { attachment } = control;
    const attached = attachment && { terminal: attachment.terminal };
    const code = await snapshotCode(considered, rooms);
    const request = {
      ...{ cut, shell, command, cwd, roots, env, lent, ...code, attached },
      ...{ opens: control.stage === FOR_REAL ? approvedOpenings(considered) : {}, key: proposal.key },
    };
    const staged = { build: (wanted: JailRequest) => control.stage.build(wanted, jails) };
    const { result, report } = await runInJail(staged, request, launch);
    if (result.parting) attachment?.part(result.parting);
    return withUnheld(outcomeOf(permit, result, report), jails.unheldLimits);
  } catch (cause) {
    if (!(cause instanceof JailError)) throw cause;
    const kind = NOT_STARTED.includes(cause.code) ? "not-started" : "jail-refused";
    return { kind, ...decidedBy(permit), reason: control.withdrawal.reason ?? cause.message };
  }
}

/** What silence or a profile allowed opens nothing. */
function approvedOpenings({ binding, decision, answeredBefore }: Considered): Openings["opens"] {
  return binding.opens && isApproved(decision, answeredBefore === true) ? binding.opens : {};
}

/** It wasn't the jail that kept it from being started. */
const NOT_STARTED: readonly JailErrorCode[] = ["CODE_CHANGED", "OPENING_CHANGED", "CANCELLED"];

/** In the very directory that was looked at: between the look and the start its name may come to mean another. */
async function startUnjailed(permit: Permit, launch: (cwd: string) => Promise<RunResult>): Promise<Outcome> {
  const { cwd } = permit.considered.proposal;
  const held = holdDirectory(cwd);
  if (!held) {
    return {
      kind: "not-started",
      ...decidedBy(permit),
      reason: `Not started: the working directory ${cwd} changed after the decision`,
    };
  }
  try {
    return outcomeOf(permit, await launch(held.path));
  } finally {
    held.release();
  }
}

async function startLaunch(
  permit: Permit,
  launch: Launch,
  { withdrawal, output, attachment, ...rooms }: RunRooms & RunControl,
): Promise<RunResult> {
  const { limits, maxOutputBytes, clock } = rooms;
  // Building a jail took its time.
  const late = halted(permit, rooms, withdrawal);
  if (late) return { end: { kind: "not-started", ...late }, stdout: "", stderr: "", truncated: false };
  const timeoutMs = permit.considered.proposal.runTimeoutMs;
  const plan: ProcessPlan = { launch, timeoutMs, killGraceMs: limits.killGraceMs, maxOutputBytes, output, attachment };
  const result = await startProcess(plan, clock, withdrawal);
  return { ...result, stopped: result.end.kind === "aborted" ? withdrawal.reason : undefined };
}

/** People rely on limits, on the default ones as on those that they set. */
function withUnheld(outcome: Outcome, unheld: readonly string[]): Outcome {
  if (unheld.length === 0) return outcome;
  const told = `This machine doesn't enforce every limit in full (${unheld.join("; ")}).`;
  return { ...outcome, reason: outcome.reason === undefined ? told : `${outcome.reason} ${told}` };
}

/** `stopped`: why somebody ended it. */
type RunResult = ProcessResult & { readonly stopped?: string | undefined };

function outcomeOf(permit: Permit, { end, truncated, stopped, ...said }: RunResult, report?: JailReport): Outcome {
  if (end.kind === "not-started" || end.kind === "jail-refused") return { ...decidedBy(permit), ...end };
  const { cut, classification } = permit.considered;
  const told = report && (usesGit(classification) ? report : { ...report, tracked: [] });
  const explained = cut && told ? explainFailure({ end, stderr: said.stderr }, cut, told) : undefined;
  const why = end.kind === "interrupted" ? sentences(end.reason, explained) : (stopped ?? explained);
  const more = {
    ...(truncated ? { truncated } : {}),
    ...decidedBy(permit),
    ...(why === undefined ? {} : { reason: why }),
  };
  return { ...end, stdout: said.stdout, stderr: said.stderr, ...more };
}

function sentences(first: string, more: string | undefined): string {
  return more === undefined ? first : `${first}. ${more}`;
}

function decidedBy({ decided }: Permit): Pick<Outcome, "by" | "approvalId"> {
  const { by, approvalId } = decided.body as { by: Decider; approvalId?: string };
  return { by, ...(approvalId === undefined ? {} : { approvalId }) };
}
