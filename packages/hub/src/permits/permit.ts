import { strict as assert } from "node:assert";
import type { Clock } from "@countersign/core/base";
import type { LedgerEntry } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { type Assessment, bindingHash } from "../proposals/index.ts";

/** A decision that the ledger holds. */
export interface DurableDecision {
  readonly assessment: Assessment;
  /** The ledger's own entry, as the store returned it from a durable commit. */
  readonly entry: LedgerEntry;
  /** The permit's id, where the start went on record with the decision. */
  readonly startedAs?: string | undefined;
}

/** A decision that is kept. One that permits nothing doesn't wait for its entry where another process makes that. */
export interface KeptDecision {
  readonly assessment: Assessment;
  readonly startedAs?: DurableDecision["startedAs"];
  readonly approvalId?: string | undefined;
  /** See `decisionEntry`. Undefined where another process signs: its receipt comes later. */
  readonly entry: LedgerEntry | undefined;
}

/**
 * The proof that a decision to allow was durably recorded; the only thing that starts a proposed command. It binds what
 * `Binding` lists, works once, and expires.
 */
export class Permit {
  readonly id: string;
  /**
   * `local`: this hub runs it. `external`: the permit is the answer, and the executor reports the outcome. `preview`: this hub
   * runs it where whatever it writes is thrown away, and nothing is answered by that.
   */
  readonly kind: "local" | "external" | "preview";
  readonly assessment: Assessment;
  readonly decided: LedgerEntry;
  readonly #expiresAtMonotonicMs: number;
  #used = false;

  /** Only the two functions below call it. */
  constructor(durable: DurableDecision, kind: Permit["kind"], expiresAtMonotonicMs: number) {
    this.id = durable.startedAs ?? uuidv7();
    this.kind = kind;
    this.assessment = durable.assessment;
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
  refuseOther(durable, "decided");
  return new Permit(durable, durable.assessment.proposal.executor.kind, clock.monotonicMs() + liveMs);
}

/** The same for a preview: another entry of the ledger, and nothing that a real run could be started with. */
export function issuePreviewPermit(durable: DurableDecision, clock: Clock, liveMs: number): Permit {
  refuseOther(durable, "preview-decided");
  assert.equal(durable.assessment.proposal.executor.kind, "local");
  return new Permit(durable, "preview", clock.monotonicMs() + liveMs);
}

function refuseOther({ entry, assessment }: DurableDecision, type: LedgerEntry["type"]): void {
  assert.equal(entry.type, type);
  assert.equal(entry.body.verdict, "allow");
  assert.equal(entry.proposalKey, assessment.proposal.key);
  assert.equal(entry.body.binding, bindingHash(assessment.binding, assessment.proposal.salt));
}
