import type { Clock, Timer } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { RunOutput, Withdrawal } from "@countersign/jail";
import type { Permit } from "../permits/index.ts";
import type { Proposal } from "../proposals/index.ts";
import type { Caller, PipelineResult } from "./pipeline.ts";

export interface OpenProposal {
  readonly proposal: Proposal;
  /** Resolves when the store holds it; rejects when it failed before that. */
  readonly stored: Promise<void>;
  readonly withdrawal: Withdrawal;
  readonly output: RunOutput;
  readonly result: Promise<PipelineResult>;
  /** Resolves when it is permitted and waits to be claimed; never, where it isn't. */
  readonly permitted: Promise<Permit>;
  waiters: number;
  /** Lives to its end also when nobody waits for it. */
  detached: boolean;
  leaving: Timer | undefined;
}

export interface OpenProposalLimits {
  readonly returnMs: number;
  /** For each of stdout and stderr. */
  readonly maxOutputBytes: number;
  /** What is kept of the outputs of those that have ended. */
  readonly outputKeptBytes: number;
}

/**
 * Proposals that haven't ended. A proposer that returns with the same `proposalId` joins the open proposal. When a proposer's last
 * connection closes, its proposal is withdrawn unless it returns in time.
 */
export class OpenProposals {
  /** Outputs of those that have ended, by the proposal's key. */
  readonly recent: RecentOutputs;
  readonly #clock: Clock;
  readonly #rules: OpenProposalLimits;
  readonly #open = new Map<string, OpenProposal>();

  constructor(clock: Clock, rules: OpenProposalLimits) {
    this.#clock = clock;
    this.#rules = rules;
    this.recent = new RecentOutputs(rules.outputKeptBytes);
  }

  find(ownerId: string, proposalId: string): OpenProposal | undefined {
    return this.#open.get(keyOf(ownerId, proposalId));
  }

  /** By the hub's own key. */
  findByKey(key: string): OpenProposal | undefined {
    for (const open of this.#open.values()) if (open.proposal.key === key) return open;
    return undefined;
  }

  /** Starts a proposal. `join` returns its result, or rejects with its failure. */
  start(proposal: Proposal, take: (caller: Caller) => Promise<PipelineResult>): OpenProposal {
    const withdrawal = new Withdrawal();
    const stored = Promise.withResolvers<void>();
    const permitted = Promise.withResolvers<Permit>();
    const key = keyOf(proposal.ownerId, proposal.proposalId);
    const output = new RunOutput(this.#rules.maxOutputBytes);
    const result = take({ withdrawal, output, stored: stored.resolve, permitted: permitted.resolve }).finally(() => {
      open.leaving?.cancel();
      this.#open.delete(key);
      this.recent.add(proposal.key, output);
    });
    result.then(
      (end) => output.finish("outcome" in end ? end.outcome : undefined),
      (cause) => {
        stored.reject(cause);
        output.finish(undefined);
      },
    );
    stored.promise.catch(() => undefined);
    const open: OpenProposal = {
      proposal,
      stored: stored.promise,
      withdrawal,
      output,
      result,
      permitted: permitted.promise,
      waiters: 0,
      detached: !proposal.attached,
      leaving: undefined,
    };
    this.#open.set(key, open);
    return open;
  }

  /** Waits for the result. Rejects when `signal` says that this waiter has left. */
  join(open: OpenProposal, signal?: AbortSignal): Promise<PipelineResult> {
    return this.#wait(open, open.result, signal);
  }

  /** As `join`, or until it waits to be claimed: from then on it lives until that is over. */
  joinUntilPermitted(open: OpenProposal, signal: AbortSignal): Promise<PipelineResult> {
    const permitted = open.permitted.then((permit) => {
      this.detach(open);
      return { permit };
    });
    return this.#wait(open, Promise.race([open.result, permitted]), signal);
  }

  async #wait(open: OpenProposal, what: Promise<PipelineResult>, signal?: AbortSignal): Promise<PipelineResult> {
    open.waiters += 1;
    open.leaving?.cancel();
    open.leaving = undefined;
    try {
      return await (signal ? untilGone(what, signal) : what);
    } finally {
      open.waiters -= 1;
      this.expectReturn(open);
    }
  }

  /** Its proposer has said that it comes back for the outcome. */
  detach(open: OpenProposal): void {
    open.detached = true;
    open.leaving?.cancel();
    open.leaving = undefined;
  }

  /** Nobody waits for an attached proposal any more: unless somebody returns in time, it is withdrawn. */
  expectReturn(open: OpenProposal): void {
    if (open.detached || open.waiters > 0 || open.leaving) return;
    if (this.find(open.proposal.ownerId, open.proposal.proposalId) !== open) return;
    open.leaving = this.#clock.after(this.#rules.returnMs, () => open.withdrawal.withdraw("The agent went away"));
  }

  /** Ends everything that is on its way, and waits until it has ended. */
  async abortAll(reason: string): Promise<void> {
    const underWay = [...this.#open.values()];
    this.withdrawAll(reason);
    await Promise.allSettled(underWay.map((open) => open.result));
  }

  /** Whoever proposed these may no longer. */
  withdrawOwnedBy(ownerId: string, reason: string): void {
    for (const open of this.#open.values()) if (open.proposal.ownerId === ownerId) open.withdrawal.withdraw(reason);
  }

  /** Tells everything on its way to end, without waiting: what runs is signalled before this returns. */
  withdrawAll(reason: string): void {
    for (const open of this.#open.values()) open.withdrawal.withdraw(reason);
  }
}

function keyOf(ownerId: string, proposalId: string): string {
  return JSON.stringify([ownerId, proposalId]);
}

async function untilGone(result: Promise<PipelineResult>, signal: AbortSignal): Promise<PipelineResult> {
  const gone = Promise.withResolvers<never>();
  const onGone = () => gone.reject(new HubError("NOT_FOUND", "The connection was closed"));
  signal.addEventListener("abort", onGone, { once: true });
  if (signal.aborted) onGone();
  try {
    return await Promise.race([result, gone.promise]);
  } finally {
    signal.removeEventListener("abort", onGone);
  }
}

/** Outputs of runs that ended a moment ago, while they fit: for those who come to read them in order. */
class RecentOutputs {
  readonly #maxBytes: number;
  readonly #outputs = new Map<string, { readonly output: RunOutput; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** By the proposal's key. */
  get(key: string): RunOutput | undefined {
    return this.#outputs.get(key)?.output;
  }

  add(key: string, output: RunOutput): void {
    if (output.size === 0) return;
    const bytes = output.size + OVERHEAD;
    this.#outputs.set(key, { output, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#outputs) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#outputs.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

const OVERHEAD = 1_024;
