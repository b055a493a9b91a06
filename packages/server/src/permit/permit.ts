import { strict as assert } from "node:assert";
import type { LedgerEntry } from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import type { Clock } from "../clock.ts";
import type { Considered } from "../propose/consider.ts";
import { bindingHash } from "./binding.ts";

/** A decision that the ledger holds. */
export interface DurableDecision {
  readonly considered: Considered;
  /** The ledger's own entry, as the store returned it from a durable commit. */
  readonly entry: LedgerEntry;
}

/**
 * The proof that a decision to allow was durably recorded; the only thing that starts a proposed command. It binds what
 * `Binding` lists, works once, and expires.
 */
export class Permit {
  readonly id = uuidv7();
  /** `local`: this hub runs it. `external`: the permit is the answer, and the executor reports the outcome. */
  readonly kind: "local" | "external";
  readonly considered: Considered;
  readonly decided: LedgerEntry;
  readonly #expiresAtMonotonicMs: number;
  #used = false;

  /** Only `issuePermit` calls it. */
  constructor(durable: DurableDecision, expiresAtMonotonicMs: number) {
    this.kind = durable.considered.proposal.executor.kind;
    this.considered = durable.considered;
    this.decided = durable.entry;
    this.#expiresAtMonotonicMs = expiresAtMonotonicMs;
  }

  isExpired(clock: Clock): boolean {
    return clock.monotonicMs() >= this.#expiresAtMonotonicMs;
  }

  /** Takes the permit. Whoever gets anything but "ok" must not start anything. */
  use(clock: Clock): "ok" | "used" | "expired" {
    if (this.#used) return "used";
    this.#used = true;
    return this.isExpired(clock) ? "expired" : "ok";
  }
}

/** Makes the permit from the ledger's entry, and checks that the entry says what the permit is about to claim. */
export function issuePermit(durable: DurableDecision, clock: Clock, liveMs: number): Permit {
  const { entry, considered } = durable;
  assert.equal(entry.type, "decided");
  assert.equal(entry.body.verdict, "allow");
  assert.equal(entry.proposalKey, considered.proposal.key);
  assert.equal(entry.body.binding, bindingHash(considered.binding));
  return new Permit(durable, clock.monotonicMs() + liveMs);
}
