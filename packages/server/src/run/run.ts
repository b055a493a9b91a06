import type { Decider, Outcome } from "@countersign/sdk";
import { HubError } from "../hub-error.ts";
import type { Permit } from "../permit/permit.ts";
import type { Withdrawal } from "../propose/withdrawal.ts";
import { filterSecrets } from "../record/filter-secrets.ts";
import { StoreError } from "../store/store.ts";
import { type CheckRooms, checkAgain, halted } from "./check-again.ts";
import { sanitizedEnv } from "./environment.ts";
import { type RecordRooms, recordEnd, recordStart } from "./record-run.ts";
import { type ProcessPlan, type ProcessResult, startProcess } from "./start-process.ts";

export interface RunRooms extends CheckRooms, RecordRooms {
  readonly maxOutputBytes: number;
  readonly runs: RunCount;
}

/** How many commands are running. */
interface RunCount {
  running: number;
}

/**
 * The only function that starts a proposed command. It takes a permit, looks at everything that the permit binds once
 * more, records the start, runs, and records the end.
 */
export async function run(permit: Permit, rooms: RunRooms, withdrawal: Withdrawal): Promise<Outcome> {
  const refusal = (await checkAgain(permit, rooms, withdrawal)) ?? tooMany(rooms);
  if (refusal) {
    const outcome: Outcome = { kind: "not-started", ...refusal };
    return await recordEnd(permit, { outcome, from: "decided", reportedBy: "hub" }, rooms);
  }
  rooms.runs.running += 1;
  try {
    await recordStart(permit, rooms);
    const late = halted(permit, rooms, withdrawal);
    if (late) return await recordRunEnd(permit, { kind: "not-started", ...late }, rooms);
    const result = await startProcess(planOf(permit, rooms), rooms.clock, withdrawal);
    return await recordRunEnd(permit, outcomeOf(permit, result), rooms);
  } finally {
    rooms.runs.running -= 1;
  }
}

/** A failure here must not be told as if nothing had been run. The next start of the hub records it as interrupted. */
async function recordRunEnd(permit: Permit, outcome: Outcome, rooms: RunRooms): Promise<Outcome> {
  try {
    return await recordEnd(permit, { outcome, from: "started", reportedBy: "hub" }, rooms);
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

function planOf({ considered: { proposal } }: Permit, rooms: RunRooms): ProcessPlan {
  return {
    shell: rooms.shell,
    command: proposal.command,
    cwd: proposal.cwd,
    env: sanitizedEnv(rooms.trustedPath.toString(), proposal.env),
    timeoutMs: proposal.runTimeoutMs,
    killGraceMs: rooms.limits.killGraceMs,
    maxOutputBytes: rooms.maxOutputBytes,
  };
}

function outcomeOf(permit: Permit, { end, stdout, stderr, truncated }: ProcessResult): Outcome {
  const { by, approvalId } = permit.decided.body as { by: Decider; approvalId?: string };
  const output = { stdout: filterSecrets(stdout), stderr: filterSecrets(stderr), ...(truncated ? { truncated } : {}) };
  return {
    ...end,
    ...(end.kind === "not-started" ? {} : output),
    by,
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}
