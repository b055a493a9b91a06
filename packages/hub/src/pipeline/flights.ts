import type { Clock, Timer } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { RunOutput, Withdrawal } from "@countersign/jail";
import type { Permit } from "../permits/index.ts";
import type { Proposal } from "../proposals/index.ts";
import type { Caller, Passed } from "./pipeline.ts";

export interface Flight {
  readonly proposal: Proposal;
  /** Resolves when the store holds it; rejects when it failed before that. */
  readonly stored: Promise<void>;
  readonly withdrawal: Withdrawal;
  readonly output: RunOutput;
  readonly passed: Promise<Passed>;
  /** Resolves when it is permitted and waits to be claimed; never, where it isn't. */
  readonly permitted: Promise<Permit>;
  waiters: number;
  /** Lives to its end also when nobody waits for it. */
  detached: boolean;
  leaving: Timer | undefined;
}

export interface FlightRules {
  readonly returnMs: number;
  /** For each of stdout and stderr. */
  readonly maxOutputBytes: number;
  /** What is kept of the outputs of those that have ended. */
  readonly outputKeptBytes: number;
}

/**
 * Proposals that are on their way through the pipeline. A proposer that comes back with the same `proposalId` joins the
 * flight; one whose last connection was cut has a while to return, then its proposal is withdrawn.
 */
export class Flights {
  /** Outputs of those that have ended, by the proposal's key. */
  readonly recent: RecentOutputs;
  readonly #clock: Clock;
  readonly #rules: FlightRules;
  readonly #flying = new Map<string, Flight>();

  constructor(clock: Clock, rules: FlightRules) {
    this.#clock = clock;
    this.#rules = rules;
    this.recent = new RecentOutputs(rules.outputKeptBytes);
  }

  find(ownerId: string, proposalId: string): Flight | undefined {
    return this.#flying.get(flightKey(ownerId, proposalId));
  }

  /** By the hub's own key. */
  findByKey(key: string): Flight | undefined {
    for (const flight of this.#flying.values()) if (flight.proposal.key === key) return flight;
    return undefined;
  }

  /** Sends a proposal off. The flight ends by itself; its failure is for whoever waits. */
  start(proposal: Proposal, fly: (control: Caller) => Promise<Passed>): Flight {
    const withdrawal = new Withdrawal();
    const stored = Promise.withResolvers<void>();
    const permitted = Promise.withResolvers<Permit>();
    const key = flightKey(proposal.ownerId, proposal.proposalId);
    const output = new RunOutput(this.#rules.maxOutputBytes);
    const passed = fly({ withdrawal, output, stored: stored.resolve, permitted: permitted.resolve }).finally(() => {
      flight.leaving?.cancel();
      this.#flying.delete(key);
      this.recent.add(proposal.key, output);
    });
    passed.then(
      (end) => output.finish("outcome" in end ? end.outcome : undefined),
      (cause) => {
        stored.reject(cause);
        output.finish(undefined);
      },
    );
    stored.promise.catch(() => undefined);
    const flight: Flight = {
      proposal,
      stored: stored.promise,
      withdrawal,
      output,
      passed,
      permitted: permitted.promise,
      waiters: 0,
      detached: !proposal.attached,
      leaving: undefined,
    };
    this.#flying.set(key, flight);
    return flight;
  }

  /** Waits for the flight's end, or until `signal` says that this waiter is gone. */
  join(flight: Flight, signal?: AbortSignal): Promise<Passed> {
    return this.#wait(flight, flight.passed, signal);
  }

  /** As `join`, or until it waits to be claimed: from then on it lives until that is over. */
  joinUntilPermitted(flight: Flight, signal: AbortSignal): Promise<Passed> {
    const permitted = flight.permitted.then((permit) => {
      this.detach(flight);
      return { permit };
    });
    return this.#wait(flight, Promise.race([flight.passed, permitted]), signal);
  }

  async #wait(flight: Flight, what: Promise<Passed>, signal?: AbortSignal): Promise<Passed> {
    flight.waiters += 1;
    flight.leaving?.cancel();
    flight.leaving = undefined;
    try {
      return await (signal ? untilGone(what, signal) : what);
    } finally {
      flight.waiters -= 1;
      this.expectReturn(flight);
    }
  }

  /** Its proposer has said that it comes back for the outcome. */
  detach(flight: Flight): void {
    flight.detached = true;
    flight.leaving?.cancel();
    flight.leaving = undefined;
  }

  /** Nobody waits for an attached proposal any more: unless somebody returns in time, it is withdrawn. */
  expectReturn(flight: Flight): void {
    if (flight.detached || flight.waiters > 0 || flight.leaving) return;
    if (this.find(flight.proposal.ownerId, flight.proposal.proposalId) !== flight) return;
    flight.leaving = this.#clock.after(this.#rules.returnMs, () => flight.withdrawal.withdraw("The agent went away"));
  }

  /** Ends everything that is on its way, and waits until it has ended. */
  async abortAll(reason: string): Promise<void> {
    const flying = [...this.#flying.values()];
    this.withdrawAll(reason);
    await Promise.allSettled(flying.map((flight) => flight.passed));
  }

  /** Whoever proposed these may no longer. */
  withdrawOwnedBy(ownerId: string, reason: string): void {
    for (const flight of this.#flying.values())
      if (flight.proposal.ownerId === ownerId) flight.withdrawal.withdraw(reason);
  }

  /** Tells everything on its way to end, without waiting: what runs is signalled before this returns. */
  withdrawAll(reason: string): void {
    for (const flight of this.#flying.values()) flight.withdrawal.withdraw(reason);
  }
}

function flightKey(ownerId: string, proposalId: string): string {
  return JSON.stringify([ownerId, proposalId]);
}

async function untilGone(passed: Promise<Passed>, signal: AbortSignal): Promise<Passed> {
  const gone = Promise.withResolvers<never>();
  const onGone = () => gone.reject(new HubError("NOT_FOUND", "The connection was closed"));
  signal.addEventListener("abort", onGone, { once: true });
  if (signal.aborted) onGone();
  try {
    return await Promise.race([passed, gone.promise]);
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
