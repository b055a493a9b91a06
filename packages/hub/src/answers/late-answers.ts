import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import {
  type AllowExpiredApproval,
  APPROVAL_NOT_FOUND,
  type ExecApprovalRequestPayload,
  type ExpiredApprovalGrant,
} from "@countersign/protocol/proposals";
import {
  type ApprovalRecord,
  type GrantRecord,
  type LedgerEntry,
  type ProposalRecord,
  type Store,
  saltedProposalHash,
} from "@countersign/store";
import { uuidv7 } from "uuidv7";
import * as z from "zod";
import { type Assurance, assured, type Devices, nonceWrites, refuseReplay } from "../identity/index.ts";
import { PAUSED, type PausedBy } from "../policies/index.ts";
import type { Executor, Judge, Proposal } from "../proposals/index.ts";
import type { Grants } from "./grants.ts";
import { refuseUnsure } from "./needs-device.ts";
import { encodeOneTimeGrant } from "./one-time-grant.ts";

/** A card that nobody answered in time can be answered for when the same is asked again: once, and for a while. */
export class LateAnswers {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #judge: Judge;
  readonly #grants: Grants;
  readonly #devices: Devices;
  readonly #pausedFor: (sessionId: string) => PausedBy | undefined;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly judge: Judge;
    readonly grants: Grants;
    readonly devices: Devices;
    readonly pausedFor: (sessionId: string) => PausedBy | undefined;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#judge = options.judge;
    this.#grants = options.grants;
    this.#devices = options.devices;
    this.#pausedFor = options.pausedFor;
  }

  /** Those that can be answered so, newest first. */
  async list(): Promise<ExecApprovalRequestPayload[]> {
    const { lateAnswerMs, pageSize } = this.#limits;
    const page = { sinceMs: this.#clock.wallMs() - lateAnswerMs, limit: pageSize };
    const expired = (await this.#store.expiredApprovals(page)).filter(({ subject }) => subject === "exec");
    return expired.map(shownOn);
  }

  /** Of two, one wins; for whatever can't be answered so, as for every answer that comes too late. */
  async allow(approvalId: string, wish: AllowExpiredApproval, by: Identity): Promise<ExpiredApprovalGrant> {
    const expired = await this.#expired(approvalId);
    const { card } = expired;
    const assurance = await this.#devices.verify({ decision: "allow-if-asks-again", ...wish }, async () => card, by);
    await this.#refuse(expired, assurance);
    this.#grants.reserve(1, card);
    const grant = this.#grantOf(expired, { by: by.name, why: wish.reason });
    const { id, atMs, sessionId, profileId: profile, expiresAtMs } = grant;
    const { proposalHash } = shownOn(card);
    const body = {
      ...{ profile, by: by.name, person: by.name, ...assured(assurance), scope: "if-asks-again", grants: [id] },
      ...{ approvalId, proposalHash: saltedProposalHash(proposalHash, expired.proposal.salt) },
    };
    const resolution = { how: "answered", decision: "allow-if-asks-again", by: by.name };
    const commit = await this.#store.commit([
      ...nonceWrites(assurance, atMs),
      { op: "close-approval", id: approvalId, from: "expired", state: "resolved", resolution },
      { op: "insert-grant", grant },
      { op: "append", draft: { type: "policy-changed", sessionId, proposalKey: null, atMs, body } },
    ]);
    if (!commit.ok && commit.refusal === "NOT_PENDING") throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    refuseReplay(commit);
    this.#grants.add([grant]);
    return { ok: true, grant: id, expiresAtMs };
  }

  #grantOf(
    { card, proposal, decided }: Expired,
    { by, why }: { readonly by: string; readonly why: string | undefined },
  ): GrantRecord & { readonly sessionId: string } {
    const { id: approvalId, sessionId, profileId } = card;
    const { command, proposalHash, enforcement } = shownOn(card);
    const { ownerId, salt } = proposal;
    const body = encodeOneTimeGrant({
      ...{ ownerId, proposalHash, enforcement, approvalId, command, by },
      binding: String(decided.binding),
      policyVersion: String(decided.policyVersion),
      ...(salt === undefined ? {} : { salt }),
      ...(why === undefined ? {} : { why: filterSecrets(why) }),
    });
    const atMs = this.#clock.wallMs();
    const expiresAtMs = atMs + this.#limits.lateAnswerMs;
    return { id: uuidv7(), profileId, sessionId, atMs, expiresAtMs, kind: "once", body };
  }

  async #expired(approvalId: string): Promise<Expired> {
    const card = await this.#store.approval(approvalId);
    const key = card?.state === "expired" && card.subject === "exec" ? card.proposalKey : null;
    const nowMs = this.#clock.wallMs();
    // A clock that was set back doesn't bring a card back before its own deadline.
    const isLate = card !== null && card.expiresAtMs <= nowMs && nowMs < card.expiresAtMs + this.#limits.lateAnswerMs;
    const record = key === null || !isLate ? null : await this.#store.proposal(key);
    const decided = record && (await this.#store.ledgerOf(record.key)).findLast(({ type }) => type === "decided");
    const proposal = record && settledProposal(record);
    // What silence allowed has run.
    if (!card || !proposal || !decided || decided.body.verdict === "allow") {
      throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    }
    return { card, proposal, decided: decided.body };
  }

  /**
   * By the text as it was kept, which may have had secrets: so this is for the person, who would wait in vain. What counts is looked at
   * again when it is used.
   */
  async #refuse({ card, proposal }: Expired, assurance: Assurance): Promise<void> {
    const paused = this.#pausedFor(card.sessionId);
    if (paused) throw new HubError("UNAUTHORIZED", PAUSED[paused].remedy);
    const { decision, classification, profile } = await this.#judge.judge(proposal);
    if (decision.verdict === "deny") {
      throw new HubError("UNAUTHORIZED", `The policy denies it by now: ${filterSecrets(decision.reason)}`);
    }
    if (classification.effects.some((effect) => effect.floor)) {
      throw new HubError("UNAUTHORIZED", "Only somebody who is there when it asks can allow this");
    }
    refuseUnsure({ profile, decision: { ...decision, riskLevel: shownOn(card).riskLevel } }, assurance);
  }
}

interface Expired {
  readonly card: ApprovalRecord;
  readonly proposal: Proposal;
  /** What the record says of how it was decided. */
  readonly decided: LedgerEntry["body"];
}

function shownOn({ payload }: ApprovalRecord): ExecApprovalRequestPayload {
  return payload as unknown as ExecApprovalRequestPayload;
}

const settledSchema = z.object({
  profileId: z.string(),
  roots: z.array(z.string()),
  attended: z.boolean(),
  executor: z.custom<Executor>((value) => typeof value === "object" && value !== null && "kind" in value),
  salt: z.string().optional(),
});

/** As far as it is kept once it has ended. */
function settledProposal({ details, outcome: _, ...record }: ProposalRecord): Proposal | undefined {
  const { data } = settledSchema.safeParse(details);
  if (!data) return undefined;
  const { salt, ...judgedBy } = data;
  return { ...record, ...judgedBy, ...(salt ? { salt } : {}), agentName: "", runTimeoutMs: 0 };
}
