import { strict as assert } from "node:assert";
import type { Clock, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { type FileHashes, holdDirectory } from "@countersign/core/host";
import type { TrustedPath } from "@countersign/core/host/fs";
import { knownSecrets } from "@countersign/core/redaction";
import {
  type Attachment,
  type BuiltJail,
  type Engine,
  explainFailure,
  isApproved,
  JailError,
  type JailErrorCode,
  type JailReport,
  type JailSpec,
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
import type { Permit, StartCheck } from "../permits/index.ts";
import { type Assessment, addedEnv, carriesSecret, lendCredentials, sanitizedEnv } from "../proposals/index.ts";
import type { End, RunRecords } from "../record/index.ts";
import type { Runs } from "./runs.ts";

/** The proposer's side of a run. */
export interface RunControl {
  readonly withdrawal: Withdrawal;
  readonly output: RunOutput;
  /** For real, unless something else is said. */
  readonly mode?: RunMode;
  /** Whoever claimed it and stays with it. */
  readonly attachment?: Attachment | undefined;
}

/** What a kind of permit is good for: how its jail is built, and what goes on record. */
export interface RunMode {
  readonly kind: Permit["kind"];
  build(spec: JailSpec, engine: Engine): Promise<BuiltJail>;
  recordStart(permit: Permit, input?: Attachment["inputKind"]): Promise<void>;
  recordEnd(permit: Permit, end: End): Promise<Outcome>;
}

/** Runs commands that were permitted. */
export class Runner {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #maxOutputBytes: number;
  readonly #shell: string;
  readonly #trustedPath: TrustedPath;
  readonly #hashes: FileHashes;
  readonly #engine: Engine | undefined;
  readonly #startCheck: StartCheck;
  readonly #runs: Runs;
  readonly #forReal: RunMode;

  constructor(options: {
    readonly clock: Clock;
    readonly limits: Limits;
    readonly maxOutputBytes: number;
    readonly shell: string;
    readonly trustedPath: TrustedPath;
    readonly hashes: FileHashes;
    /** Undefined where no jail can be built; then nothing was decided as if there were one. */
    readonly engine: Engine | undefined;
    readonly startCheck: StartCheck;
    readonly records: RunRecords;
    readonly runs: Runs;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#maxOutputBytes = options.maxOutputBytes;
    this.#shell = options.shell;
    this.#trustedPath = options.trustedPath;
    this.#hashes = options.hashes;
    this.#engine = options.engine;
    this.#startCheck = options.startCheck;
    this.#runs = options.runs;
    const { records } = options;
    this.#forReal = {
      kind: "local",
      build: (spec, engine) => engine.build(spec),
      recordStart: (permit, input) => records.start(permit, input),
      recordEnd: (permit, end) => records.end(permit, end),
    };
  }

  /**
   * The only function that starts a proposed command. It takes a permit, looks at everything that the permit binds once
   * more, records the start, runs, and records the end.
   */
  async run(permit: Permit, control: RunControl): Promise<Outcome> {
    const { withdrawal, mode = this.#forReal } = control;
    assert.equal(permit.kind, mode.kind);
    const refusal = (await this.#startCheck.check(permit, withdrawal)) ?? this.#tooMany();
    if (refusal) {
      const outcome: Outcome = { kind: "not-started", ...refusal };
      return await mode.recordEnd(permit, { outcome, from: "decided", reportedBy: "hub" });
    }
    this.#runs.add(withdrawal, { permit, startedAtMs: this.#clock.wallMs() });
    let recorded: Outcome | undefined;
    try {
      await mode.recordStart(permit, control.attachment?.inputKind);
      const late = this.#startCheck.reasonToStopNow(permit, withdrawal);
      const outcome: Outcome = late
        ? { kind: "not-started", ...late }
        : await this.#start(permit, { ...control, mode });
      recorded = await recordRunEnd(permit, outcome, mode);
      return recorded;
    } finally {
      this.#runs.delete(withdrawal, recorded);
    }
  }

  #tooMany(): { reason: string } | undefined {
    const { running } = this.#runs;
    return running < this.#limits.running
      ? undefined
      : { reason: `${running} commands are running already (limit: running)` };
  }

  /** A jail that can't be built is an outcome of its own, never a reason to go without. */
  async #start(permit: Permit, control: ControlWithMode): Promise<Outcome> {
    const { assessment } = permit;
    const { proposal, cut } = assessment;
    const [shell, engine] = [this.#shell, this.#engine];
    const { command, cwd, roots } = proposal;
    const env = sanitizedEnv(this.#trustedPath.toString(), addedEnv(assessment.profile, proposal));
    const launch = (what: Launch) => this.#launch(permit, what, control);
    if (cut === undefined) {
      assert.equal(control.mode, this.#forReal);
      return await startUnjailed(permit, (path) => launch(unjailed(shell, { command, cwd: path, env })));
    }
    try {
      assert(engine);
      const credentials = lendCredentials(assessment);
      // A value of any form may come back in the output.
      for (const [name, value] of Object.entries(credentials.env)) if (carriesSecret(name)) knownSecrets.add(value);
      const { attachment } = control;
      const attached = attachment && { terminal: attachment.terminal };
      const code = await snapshotCode(assessment, { hashes: this.#hashes });
      const spec = {
        ...{ plan: cut, shell, command, cwd, roots, env, credentials, ...code, attached },
        ...{ opens: control.mode === this.#forReal ? approvedOpenings(assessment) : {}, key: proposal.key },
      };
      const { result, report } = await runInJail(() => control.mode.build(spec, engine), launch);
      if (result.shellReport) attachment?.setShellReport(result.shellReport);
      return withUnheld(outcomeOf(permit, result, report), engine.unheldLimits);
    } catch (cause) {
      if (!(cause instanceof JailError)) throw cause;
      const kind = NOT_STARTED.includes(cause.code) ? "not-started" : "jail-refused";
      return { kind, ...decidedBy(permit), reason: control.withdrawal.reason ?? cause.message };
    }
  }

  async #launch(permit: Permit, launch: Launch, { withdrawal, output, attachment }: RunControl): Promise<RunResult> {
    // Building a jail took its time.
    const late = this.#startCheck.reasonToStopNow(permit, withdrawal);
    if (late) return { end: { kind: "not-started", ...late }, stdout: "", stderr: "", truncated: false };
    const timeoutMs = permit.assessment.proposal.runTimeoutMs;
    const { killGraceMs } = this.#limits;
    const maxOutputBytes = this.#maxOutputBytes;
    const plan: ProcessPlan = { launch, timeoutMs, killGraceMs, maxOutputBytes, output, attachment };
    const result = await startProcess(plan, this.#clock, withdrawal);
    return { ...result, stopped: result.end.kind === "aborted" ? withdrawal.reason : undefined };
  }
}

type ControlWithMode = RunControl & Required<Pick<RunControl, "mode">>;

/** A failure here must not be told as if nothing had been run. The next start of the hub records it as interrupted. */
async function recordRunEnd(permit: Permit, outcome: Outcome, mode: RunMode): Promise<Outcome> {
  try {
    return await mode.recordEnd(permit, { outcome, from: "started", reportedBy: "hub" });
  } catch (cause) {
    const why = cause instanceof StoreError ? cause.code : String(cause);
    const message = `The command was started and has ended (${outcome.kind}), but that could not be recorded: ${why}`;
    throw new HubError("INTERNAL", message, { cause });
  }
}

/** What silence or a profile allowed opens nothing. */
function approvedOpenings({ binding, decision, answeredBefore }: Assessment): Openings["opens"] {
  return binding.opens && isApproved(decision, answeredBefore === true) ? binding.opens : {};
}

/** It wasn't the jail that kept it from being started. */
const NOT_STARTED: readonly JailErrorCode[] = ["CODE_CHANGED", "OPENING_CHANGED", "CANCELLED"];

/** In the very directory that was looked at: between the look and the start its name may come to mean another. */
async function startUnjailed(permit: Permit, launch: (cwd: string) => Promise<RunResult>): Promise<Outcome> {
  const { cwd } = permit.assessment.proposal;
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
  const { cut, classification } = permit.assessment;
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
