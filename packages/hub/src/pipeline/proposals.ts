import { strict as assert } from "node:assert";
import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { type Attachment, RunOutput } from "@countersign/jail";
import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import type { ProposalStatus } from "@countersign/protocol/hub";
import type { Outcome, ProposeExecParams } from "@countersign/protocol/proposals";
import type { Audit, ProposalRecord, Store } from "@countersign/store";
import type { Enforcement } from "@countersign/vocabulary";
import type { HeldPermits } from "../permits/index.ts";
import type { ActiveConfig } from "../policies/index.ts";
import {
  accept,
  type CardAside,
  type Executor,
  type Origin,
  type Proposal,
  toolCallProposal,
} from "../proposals/index.ts";
import { type OpenProposal, OpenProposals } from "./open-proposals.ts";
import type { Pipeline, PipelineResult } from "./pipeline.ts";

export interface Followed {
  readonly output: RunOutput;
  readonly outcome: Promise<Outcome>;
}

type Found = { readonly open: OpenProposal } | { readonly ended: ProposalRecord };

/** Who comes with a permit. */
export interface Claim {
  readonly attachment: Attachment;
  readonly gone: AbortSignal;
}

/** How a tool in this process proposes. */
export interface ToolCall {
  readonly executor: Executor;
  readonly card: CardAside;
  /** Its agent can ask by itself: then `handBack` may be the answer. */
  readonly handsBack?: boolean | undefined;
  /** Aborting withdraws at once: there is no connection that could come back. */
  readonly signal?: AbortSignal | undefined;
  /** A person is waited for no longer than this, whatever the profile says. */
  readonly patienceMs?: number | undefined;
  /** The shell that its agent has, where the agent runs it. */
  readonly shell?: string | undefined;
  /** Where it was started, as its own user says. */
  readonly workspace?: string | undefined;
}

/** How a tool call comes: whether its executor can be gone round, and what the hub adds. */
export interface ToolCallHow extends Partial<Omit<ToolCall, "executor">> {
  readonly enforcement: Exclude<Enforcement, "jail">;
  /** Why a person must be asked, whatever the policy says. */
  readonly mustAskReason?: string | undefined;
}

/** How a hook proposes. `signal`: the agent doesn't wait any more. */
interface ClaimedCall extends Pick<ToolCall, "handsBack" | "patienceMs" | "shell" | "workspace"> {
  /** Aborting withdraws what isn't permitted yet. */
  readonly signal: AbortSignal;
}

interface Joining {
  readonly identity: Identity;
  readonly signal: AbortSignal | undefined;
  /** Until its end, unless something else is waited for. */
  readonly join?: (open: OpenProposal) => Promise<PipelineResult>;
}

/** The proposers' side of the hub: propose once, ask as often as you like, withdraw. */
export class Proposals {
  readonly openProposals: OpenProposals;
  /** How proposals ended since the start, by kind. */
  readonly outcomes = new Map<string, number>();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #audit: Pick<Audit, "upToDate">;
  readonly #config: Pick<ActiveConfig, "current">;
  readonly #serveCwd: string;
  readonly #pipeline: Pipeline;
  readonly #held: HeldPermits;
  #closing = false;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly maxOutputBytes: number;
    readonly audit: Pick<Audit, "upToDate">;
    readonly config: Pick<ActiveConfig, "current">;
    readonly serveCwd: string;
    readonly pipeline: Pipeline;
    readonly held: HeldPermits;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#audit = options.audit;
    this.#config = options.config;
    this.#serveCwd = options.serveCwd;
    this.#pipeline = options.pipeline;
    this.#held = options.held;
    const { clock, limits, maxOutputBytes } = options;
    this.openProposals = new OpenProposals(clock, { ...limits, maxOutputBytes });
  }

  /** Proposes and waits for the outcome; `signal` says that the proposer's connection is gone. */
  async propose(raw: unknown, identity: Identity, signal?: AbortSignal): Promise<Outcome> {
    const found = await this.#find(raw, { identity, attached: true, executor: { kind: "local" } });
    if ("ended" in found) return await this.#storedOutcome(found.ended);
    return outcomeIn(await this.openProposals.join(found.open, signal));
  }

  /** As `propose`, with what the run writes meanwhile. */
  async proposeFollowed(raw: unknown, identity: Identity, signal: AbortSignal): Promise<Followed> {
    const found = await this.#find(raw, { identity, attached: true, executor: { kind: "local" } });
    if ("open" in found) {
      const outcome = this.openProposals.join(found.open, signal).then(outcomeIn);
      // Whoever reads the output first comes to it later.
      outcome.catch(() => undefined);
      return { output: found.open.output, outcome };
    }
    const outcome = await this.#storedOutcome(found.ended);
    return { output: this.#endedOutput(found.ended, outcome), outcome: Promise.resolve(outcome) };
  }

  /**
   * What a run writes or wrote. Its proposer names it by its `proposalId`; those who see everything also by the approval that
   * it waited for, or by the hub's key.
   */
  async output(name: string, identity: Identity): Promise<RunOutput> {
    const own = this.openProposals.find(identity.id, name);
    if (own) return own.output;
    const record = await this.#recordNamed(name, identity);
    const open = record && this.openProposals.findByKey(record.key);
    if (open) return open.output;
    if (record?.state !== "ended") throw new HubError("NOT_FOUND", "There's no such proposal");
    return this.#endedOutput(record, await this.#storedOutcome(record));
  }

  /** Proposes without waiting: the answer is where to ask for the outcome. */
  async proposeDetached(raw: unknown, identity: Identity): Promise<ProposalStatus> {
    const found = await this.#find(raw, { identity, attached: false, executor: { kind: "local" } });
    if ("open" in found) {
      this.openProposals.detach(found.open);
      await found.open.stored;
    }
    const { proposalId } = "open" in found ? found.open.proposal : found.ended;
    return await this.status(identity, proposalId);
  }

  /** For executors that aren't us: the permit is the answer, and `report` ends it. */
  async proposeExternal(
    raw: unknown,
    identity: Identity,
    enforcement: Exclude<Enforcement, "jail">,
  ): Promise<PipelineResult> {
    const found = await this.#find(raw, { identity, attached: true, executor: { kind: "external", enforcement } });
    return "ended" in found
      ? { outcome: await this.#storedOutcome(found.ended) }
      : await this.openProposals.join(found.open);
  }

  /** For an agent that lets us rewrite its command: the permit is what the rewritten one comes back with (`claim`). */
  async proposeClaimed(raw: unknown, identity: Identity, { signal, ...call }: ClaimedCall): Promise<PipelineResult> {
    const executor = { kind: "local", start: "claimed" } as const;
    const found = await this.#find(raw, { identity, attached: true, executor, ...call });
    const join = (open: OpenProposal) => this.openProposals.joinUntilPermitted(open, signal);
    return await this.#joined(found, { identity, signal, join });
  }

  /** Starts what waits to be claimed. `gone`: whoever claimed it isn't there any more, and the run isn't wanted. */
  async claim(permitId: string, identity: Identity, { attachment, gone }: Claim): Promise<Outcome> {
    const { ownerId, proposalId } = this.#held.claim(permitId, identity, attachment);
    const open = this.openProposals.find(ownerId, proposalId);
    assert(open);
    const withdraw = () => open.withdrawal.withdraw(`${identity.name} ended it`);
    gone.addEventListener("abort", withdraw, { once: true });
    if (gone.aborted) withdraw();
    try {
      return outcomeIn(await open.result);
    } finally {
      gone.removeEventListener("abort", withdraw);
      attachment.finish();
    }
  }

  /** For the tools of this process, which alone may add to the card. */
  async proposeByTool(raw: unknown, identity: Identity, { signal, ...call }: ToolCall): Promise<PipelineResult> {
    const found = await this.#find(raw, { identity, attached: true, ...call });
    return await this.#joined(found, { identity, signal });
  }

  /** Waits as code in this process does: aborting withdraws at once. */
  async #joined(
    found: Found,
    { identity, signal, join = (open) => this.openProposals.join(open) }: Joining,
  ): Promise<PipelineResult> {
    if ("ended" in found) return { outcome: await this.#storedOutcome(found.ended) };
    const withdraw = () => found.open.withdrawal.withdraw(`Withdrawn by ${identity.name}`);
    signal?.addEventListener("abort", withdraw, { once: true });
    if (signal?.aborted) withdraw();
    try {
      return await join(found.open);
    } finally {
      signal?.removeEventListener("abort", withdraw);
    }
  }

  /** A call of a tool that an MCP server has. It is never ours to run: the permit is the answer, and `report` ends it. */
  async proposeToolCall(raw: unknown, identity: Identity, how: ToolCallHow): Promise<PipelineResult> {
    return await this.proposeCall(toolCallProposal(raw), identity, how);
  }

  /** What stands for a call of somebody else's, of a tool or into a sandbox, written as such. */
  async proposeCall(
    params: ProposeExecParams,
    identity: Identity,
    { enforcement, ...call }: ToolCallHow,
  ): Promise<PipelineResult> {
    const executor = { kind: "external", enforcement } as const;
    const origin = { identity, attached: true, executor, isToolCall: true, ...call };
    return await this.#joined(await this.#find(params, origin), { identity, signal: call.signal });
  }

  async status(identity: Identity, proposalId: string): Promise<ProposalStatus> {
    const record = await this.#store.proposalOf(identity.id, proposalId);
    if (!record) throw new HubError("NOT_FOUND", "There's no such proposal");
    const { state, approvalId } = record;
    const outcome = state === "ended" ? await this.#storedOutcome(record) : undefined;
    return { proposalId, state, ...(approvalId ? { approvalId } : {}), ...(outcome ? { outcome } : {}) };
  }

  /** Waits until it has ended or the time is over, then tells its status. */
  async waitFor(identity: Identity, proposalId: string, waitMs: number): Promise<ProposalStatus> {
    const open = this.openProposals.find(identity.id, proposalId);
    if (open && waitMs > 0) {
      const over = new AbortController();
      const timer = this.#clock.after(waitMs, () => over.abort());
      // Its failure, and the end of the wait, show in the status.
      await this.openProposals.join(open, over.signal).catch(() => undefined);
      timer.cancel();
    }
    return await this.status(identity, proposalId);
  }

  /** Withdraws a proposal at once: waiting it is cancelled, running it is killed. An approver may also end another's. */
  cancel(identity: Identity, proposalId: string): void {
    const own = this.openProposals.find(identity.id, proposalId);
    const open = own ?? (identity.role === "approver" ? this.openProposals.findByKey(proposalId) : undefined);
    if (!open) throw new HubError("NOT_FOUND", "There's no such proposal, or it has ended");
    open.withdrawal.withdraw(`Withdrawn by ${identity.name}`);
  }

  /** From now on nothing is taken any more. */
  stop(): void {
    this.#closing = true;
  }

  async close(): Promise<void> {
    this.stop();
    await this.openProposals.abortAll("Countersign is shutting down");
  }

  /** Returns the open proposal, new or under way, or the record of its end. The same id never runs twice. */
  async #find(raw: unknown, from: Origin): Promise<Found> {
    this.#refuseWhileClosing();
    const setting = { config: this.#config.current, serveCwd: this.#serveCwd, nowMs: this.#clock.wallMs() };
    const proposal = accept(raw, from, setting);
    const { ownerId, proposalId } = proposal;
    const underWay = this.openProposals.find(ownerId, proposalId);
    if (underWay) return { open: sameBody(underWay, underWay.proposal, proposal) };
    const known = await this.#store.proposalOf(ownerId, proposalId);
    if (known) return { ended: hasEnded(sameBody(known, known, proposal)) };
    // Look again: a second one with this id may have started while the store was asked.
    const twin = this.openProposals.find(ownerId, proposalId);
    if (twin) return { open: sameBody(twin, twin.proposal, proposal) };
    // And again: the hub may have begun to close meanwhile.
    this.#refuseWhileClosing();
    // Before anybody is asked about something that couldn't be permitted then.
    const unrecordable = this.#store.unrecordable();
    if (unrecordable) throw unrecordable;
    const open = this.openProposals.start(proposal, (caller) => this.#pipeline.take(proposal, caller));
    open.result.then(
      (result) => this.#count(result),
      () => undefined,
    );
    return { open };
  }

  async #recordNamed(name: string, { id, role }: Identity): Promise<ProposalRecord | null> {
    const own = await this.#store.proposalOf(id, name);
    if (own || role === "agent") return own;
    const key = (await this.#store.approval(name))?.proposalKey ?? name;
    return await this.#store.proposal(key);
  }

  /** In its order where that is still known, else stdout first. */
  #endedOutput({ key }: ProposalRecord, outcome: Outcome): RunOutput {
    const recent = this.openProposals.recent.get(key);
    if (recent) return recent;
    const { stdout = "", stderr = "" } = outcome;
    const output = new RunOutput(2 * Buffer.byteLength(stdout + stderr) + 2);
    output.writeText("stdout", stdout);
    output.writeText("stderr", stderr);
    output.finish(outcome);
    return output;
  }

  #refuseWhileClosing(): void {
    if (this.#closing) throw new HubError("INTERNAL", "Countersign is shutting down; nothing was run");
  }

  #count(result: PipelineResult): void {
    if ("outcome" in result) this.outcomes.set(result.outcome.kind, (this.outcomes.get(result.outcome.kind) ?? 0) + 1);
  }

  async #storedOutcome(record: ProposalRecord): Promise<Outcome> {
    const receipt = (await this.#store.ledgerOf(record.key)).findLast(({ type }) => type === "ended")?.hash;
    const kept = record.outcome as unknown as Outcome | null;
    const outcome: Outcome = kept ?? {
      kind: "interrupted",
      reason: "The outcome is no longer kept; the ledger has its record",
    };
    // Its end is in the store before `audit.jsonl` has it.
    if (!(STARTED_OUTCOMES as ReadonlySet<string>).has(outcome.kind)) await this.#audit.upToDate();
    return receipt === undefined ? outcome : { ...outcome, receipt };
  }
}

function outcomeIn(result: PipelineResult): Outcome {
  if ("outcome" in result) return result.outcome;
  throw new HubError("CONFLICT", "This proposalId was used for a run by another executor");
}

function sameBody<T>(found: T, known: Pick<Proposal, "bodyHash">, proposal: Proposal): T {
  if (known.bodyHash === proposal.bodyHash) return found;
  throw new HubError("CONFLICT", `proposalId ${proposal.proposalId} was used for another proposal`);
}

/** One that is open but not on its way could not be written to its end (a full disk): the next start settles it. */
function hasEnded(record: ProposalRecord): ProposalRecord {
  if (record.state === "ended") return record;
  throw new HubError(
    "INTERNAL",
    `This proposal is ${record.state} and its end could not be recorded; a restart settles it`,
  );
}
