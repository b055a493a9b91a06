import { HubError } from "@countersign/core/errors";
import type { Decision } from "@countersign/policy";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { ApprovalRecord, Store } from "@countersign/store";
import { type Assessment, type Assessor, type Binding, inJail, type Proposal } from "../proposals/index.ts";
import { isAsShown } from "./card.ts";

/** What a question is about. */
export interface Subject {
  readonly proposal: Proposal;
  /** What a permit for it would bind. */
  readonly binding: Binding;
  /** Judged, with everything that an answer rests on. */
  assessment(): Promise<Assessment>;
}

/** A proposal that was judged before it was asked about. */
export function assessedSubject(assessment: Assessment): Subject {
  const { proposal, binding } = assessment;
  return { proposal, binding, assessment: async () => assessment };
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
  #assessment: Promise<Assessment> | undefined;

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

  assessment(): Promise<Assessment> {
    if (this.#assessment) return this.#assessment;
    const assessing = this.#consider();
    this.#assessment = assessing;
    // What fails once may work for the next who needs it.
    assessing.catch(() => {
      this.#assessment = undefined;
    });
    return assessing;
  }

  async #consider(): Promise<Assessment> {
    const record = await this.#store.approval(this.#approvalId);
    if (!record) throw new HubError("INTERNAL", "The card of this approval is gone from the store");
    const card = record.payload as unknown as ExecApprovalRequestPayload;
    const { binding } = this;
    const fresh = asAsked(await this.#assessor.assess(this.proposal), card, binding);
    // What was shown and asked about is what was bound then, not what is there now.
    const { hashFile } = fresh.circumstances;
    const boundHash = (path: string) => (hashFile?.(path) === undefined ? undefined : (binding.code[path] ?? null));
    const circumstances = { ...fresh.circumstances, hashFile: boundHash };
    const assessment: Assessment = { ...fresh, binding, proposalHash: this.#proposalHash, circumstances };
    return isAsShown(assessment, card) ? assessment : { ...assessment, unlikeCard: true };
  }
}

/** It was asked about, so nothing that was allowed since then decides it. Its risk and its jail are those on the card. */
function asAsked(fresh: Assessment, { riskLevel }: ExecApprovalRequestPayload, { jail }: Binding): Assessment {
  const asks = fresh.decision.verdict === "ask";
  const decision: Decision = { ...fresh.decision, ...(asks ? {} : { verdict: "ask", entryIds: [] }), riskLevel };
  const asked = { ...fresh, decision };
  return jail === "none" || fresh.enforcement !== "jail" || jail === fresh.jail ? asked : inJail(asked, jail);
}
