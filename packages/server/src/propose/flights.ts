import type { Clock, Timer } from "../clock.ts";
import { HubError } from "../hub-error.ts";
import type { Control, Passed } from "../pipeline.ts";
import type { Proposal } from "./proposal.ts";
import { Withdrawal } from "./withdrawal.ts";

export interface Flight {
  readonly proposal: Proposal;
  /** Resolves when the store holds it; rejects when it failed before that. */
  readonly stored: Promise<void>;
  readonly withdrawal: Withdrawal;
  readonly passed: Promise<Passed>;
  waiters: number;
  /** Lives to its end also when nobody waits for it. */
  detached: boolean;
  leaving: Timer | undefined;
}

/**
 * Proposals that are on their way through the pipeline. A proposer that comes back with the same `proposalId` joins the
 * flight; one whose last connection was cut has a while to return, then its proposal is withdrawn.
 */
export class Flights {
  readonly #clock: Clock;
  readonly #returnMs: number;
  readonly #flying = new Map<string, Flight>();

  constructor(clock: Clock, returnMs: number) {
    this.#clock = clock;
    this.#returnMs = returnMs;
  }

  find(ownerId: string, proposalId: string): Flight | undefined {
    return this.#flying.get(flightKey(ownerId, proposalId));
  }

  /** Sends a proposal off. The flight ends by itself; its failure is for whoever waits. */
  start(proposal: Proposal, fly: (control: Control) => Promise<Passed>): Flight {
    const withdrawal = new Withdrawal();
    const stored = Promise.withResolvers<void>();
    const key = flightKey(proposal.ownerId, proposal.proposalId);
    const passed = fly({ withdrawal, stored: stored.resolve }).finally(() => {
      flight.leaving?.cancel();
      this.#flying.delete(key);
    });
    passed.catch(stored.reject);
    stored.promise.catch(() => undefined);
    const flight: Flight = {
      proposal,
      stored: stored.promise,
      withdrawal,
      passed,
      waiters: 0,
      detached: !proposal.attached,
      leaving: undefined,
    };
    this.#flying.set(key, flight);
    return flight;
  }

  /** Waits for the flight's end, or until `signal` says that this waiter is gone. */
  async join(flight: Flight, signal?: AbortSignal): Promise<Passed> {
    flight.waiters += 1;
    flight.leaving?.cancel();
    flight.leaving = undefined;
    try {
      return await (signal ? untilGone(flight.passed, signal) : flight.passed);
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
    flight.leaving = this.#clock.after(this.#returnMs, () => flight.withdrawal.withdraw("The agent went away"));
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
