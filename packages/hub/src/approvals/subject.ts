import { HubError } from "@countersign/core/errors";
import type { Decision } from "@countersign/policy";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { ApprovalRecord, Store } from "@countersign/store";
import { type Assessor, type Binding, type Considered, inJail, type Proposal } from "../proposals/index.ts";
import { isAsShown } from "./approval-record.ts";

/** What a question is about. */
export interface Subject {
  readonly proposal: Proposal;
  /** What a permit for it would bind. */
  readonly binding: Binding;
  /** Judged, with everything that an answer rests on. */
  considered(): Promise<Considered>;
}

/** A proposal that was judged before it was asked about. */
export function judgedSubject(considered: Considered): Subject {
  const { proposal, binding } = considered;
  return { proposal, binding, considered: async () => considered };
}

/**
 * A proposal that was asked about before the hub stopped. It is judged when somebody first needs that: thousands may be pending at a
 * start, and few are ever looked at. The permit binds what was bound when it was asked.
 */
export class RestoredSubject implements Subject {
  readonly proposal: Proposal;
  readonly binding: Binding;
  readonly #proposalHash: string;
  readonly #approvalId: string;
  readonly #assessor: Assessor;
  readonly #store: Pick<Store, "approval">;
  #considered: Promise<Considered> | undefined;

  constructor(
    stored: { readonly proposal: Proposal; readonly binding: Binding; readonly proposalHash: string },
    { id }: Pick<ApprovalRecord, "id">,
    { assessor, store }: { readonly assessor: Assessor; readonly store: Pick<Store, "approval"> },
  ) {
    this.proposal = stored.proposal;
    this.binding = stored.binding;
    this.#proposalHash = stored.proposalHash;
    this.#approvalId = id;
    this.#assessor = assessor;
    this.#store = store;
  }

  considered(): Promise<Considered> {
    if (this.#considered) return this.#considered;
    const considering = this.#consider();
    this.#considered = considering;
    // What fails once may work for the next who needs it.
    considering.catch(() => {
      this.#considered = undefined;
    });
    return considering;
  }

  async #consider(): Promise<Considered> {
    const record = await this.#store.approval(this.#approvalId);
    if (!record) throw new HubError("INTERNAL", "The card of this approval is gone from the store");
    const card = record.payload as unknown as ExecApprovalRequestPayload;
    const { binding } = this;
    const fresh = asAsked(await this.#assessor.assess(this.proposal), card, binding);
    // What was shown and asked about is what was bound then, not what is there now.
    const { hashFile } = fresh.circumstances;
    const boundHash = (path: string) => (hashFile?.(path) === undefined ? undefined : (binding.code[path] ?? null));
    const circumstances = { ...fresh.circumstances, hashFile: boundHash };
    const considered: Considered = { ...fresh, binding, proposalHash: this.#proposalHash, circumstances };
    return isAsShown(considered, card) ? considered : { ...considered, unlikeCard: true };
  }
}

/** It was asked about, so nothing that was allowed since then decides it. Its risk and its jail are those on the card. */
function asAsked(fresh: Considered, { riskLevel }: ExecApprovalRequestPayload, { jail }: Binding): Considered {
  const asks = fresh.decision.verdict === "ask";
  const decision: Decision = { ...fresh.decision, ...(asks ? {} : { verdict: "ask", entryIds: [] }), riskLevel };
  const asked = { ...fresh, decision };
  return jail === "none" || fresh.enforcement !== "jail" || jail === fresh.jail ? asked : inJail(asked, jail);
}
