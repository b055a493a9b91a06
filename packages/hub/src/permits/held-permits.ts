import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { Attachment, Withdrawal } from "@countersign/jail";
import type { Proposal } from "../proposals/index.ts";
import type { StartRefusal } from "./check-again.ts";
import type { Permit } from "./permit.ts";

interface Holder {
  readonly withdrawal: Withdrawal;
  permitted(permit: Permit): void;
}

interface Held {
  readonly permit: Permit;
  claim(attachment: Attachment): void;
}

/** How it went on with a permit: it was claimed, or nothing may be started any more. */
type Hold = { readonly attachment: Attachment } | { readonly refusal: StartRefusal };

/** So many whose end is remembered, so that whoever comes again is told which it was. */
const ENDS_KEPT = 1_024;

/**
 * Permits whose command starts when somebody comes for it: an agent runs a command that we rewrote, and that claims the permit. Each
 * is claimed once, by whom it was given to, before it expires. They die with the hub.
 */
export class HeldPermits {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #held = new Map<string, Held>();
  /** What became of those that aren't held any more, the oldest first. */
  readonly #ends = new Map<string, { readonly ownerId: string; readonly how: string }>();

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Until it is claimed, withdrawn or expires. */
  async hold(permit: Permit, { withdrawal, permitted }: Holder): Promise<Hold> {
    const full = this.#tooMany(permit);
    if (full) return { refusal: full };
    const { heldPermitMs } = this.#limits;
    const over = Promise.withResolvers<Hold>();
    const end = (how: string, hold: Hold) => {
      if (this.#held.delete(permit.id)) this.#remember(permit, how);
      over.resolve(hold);
    };
    this.#held.set(permit.id, { permit, claim: (attachment) => end("was used already", { attachment }) });
    const forget = withdrawal.onWithdrawn(() => {
      const reason = withdrawal.reason ?? "";
      end(`was withdrawn (${reason})`, { refusal: { by: "cancelled", reason } });
    });
    const timer = this.#clock.after(heldPermitMs, () => {
      const reason = `It was permitted, and nothing started it within ${Math.round(heldPermitMs / 60_000)} min`;
      end("has expired", { refusal: { reason } });
    });
    permitted(permit);
    try {
      return await over.promise;
    } finally {
      timer.cancel();
      forget();
    }
  }

  /** Takes it; whatever comes after is up to the run. Throws a sentence where there is nothing to take. */
  claim(permitId: string, { id }: Identity, attachment: Attachment): Pick<Proposal, "ownerId" | "proposalId"> {
    const held = this.#held.get(permitId);
    if (held && held.permit.assessment.proposal.ownerId === id) {
      const { ownerId, proposalId } = held.permit.assessment.proposal;
      held.claim(attachment);
      return { ownerId, proposalId };
    }
    // Somebody else's is as good as none: nothing is told about it.
    const end = this.#ends.get(permitId);
    const why = end?.ownerId === id ? `This permit ${end.how}` : "There's no such permit, or it isn't this agent's";
    throw new HubError("NOT_FOUND", `${why}; nothing was run. Propose the command again.`);
  }

  /** Of one owner, and one session if that is given. */
  of(ownerId: string, sessionId: string | undefined): Permit[] {
    const permits = [...this.#held.values()].map(({ permit }) => permit);
    return permits.filter(({ assessment: { proposal } }) => {
      return proposal.ownerId === ownerId && (sessionId === undefined || proposal.sessionId === sessionId);
    });
  }

  #tooMany({ assessment: { proposal } }: Permit): StartRefusal | undefined {
    const { heldPermits, heldPermitsPerSession } = this.#limits;
    if (this.#held.size >= heldPermits) {
      return { reason: `${this.#held.size} permits wait to be used already (limit: heldPermits)` };
    }
    let ofSession = 0;
    for (const { permit } of this.#held.values()) {
      if (permit.assessment.proposal.sessionId === proposal.sessionId) ofSession += 1;
    }
    if (ofSession < heldPermitsPerSession) return undefined;
    return { reason: `${ofSession} permits of this session wait to be used already (limit: heldPermitsPerSession)` };
  }

  #remember({ id, assessment: { proposal } }: Permit, how: string): void {
    this.#ends.set(id, { ownerId: proposal.ownerId, how });
    for (const oldest of this.#ends.keys()) {
      if (this.#ends.size <= ENDS_KEPT) return;
      this.#ends.delete(oldest);
    }
  }
}
