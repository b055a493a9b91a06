import type { Decider, Outcome } from "@countersign/sdk";
import type { Permit } from "../permit/permit.ts";
import type { Withdrawal } from "../propose/withdrawal.ts";
import { filterSecrets } from "../record/filter-secrets.ts";
import { type CheckRooms, checkAgain } from "./check-again.ts";
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
    const result = await startProcess(planOf(permit, rooms), rooms.clock, withdrawal);
    return await recordEnd(permit, { outcome: outcomeOf(permit, result), from: "started", reportedBy: "hub" }, rooms);
  } finally {
    rooms.runs.running -= 1;
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
  return {
    ...end,
    stdout: filterSecrets(stdout),
    stderr: filterSecrets(stderr),
    ...(truncated ? { truncated } : {}),
    by,
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}
