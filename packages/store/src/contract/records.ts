import type { Json } from "@countersign/receipts";
import type { ApprovalState, GrantKind, ProposalState, Role } from "@countersign/vocabulary";
import type { DecidedRecord } from "./decided.ts";

export interface SessionRecord {
  readonly id: string;
  /** Identity that made it; nobody else may use it. */
  readonly ownerId: string;
  readonly agentName: string;
  readonly createdAtMs: number;
}

export interface ProposalRecord {
  /** The hub's own id. */
  readonly key: string;
  readonly ownerId: string;
  /** The proposer's id, unique for its owner. */
  readonly proposalId: string;
  readonly sessionId: string;
  readonly state: ProposalState;
  /** Attached proposers wait on a connection; detached ones (202) come back for the outcome. */
  readonly attached: boolean;
  /** Hash of what the proposer sent: the same `proposalId` with another one is a conflict. */
  readonly bodyHash: string;
  /** As proposed while open; replaced by the redacted text when it ends, so that no secret outlives its need. */
  readonly command: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Everything else that is needed to go on after a restart. */
  readonly details: { readonly [key: string]: Json };
  readonly approvalId: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  /** Null until it is decided, and for what ended without that. */
  readonly decided: DecidedRecord | null;
  /** Filtered and capped; pruned after a while. */
  readonly outcome: { readonly [key: string]: Json } | null;
}

export interface ApprovalRecord {
  readonly id: string;
  /** What is asked about: a proposal to run, or an outside edit of a profile that widens it. */
  readonly subject: "exec" | "policy";
  readonly proposalKey: string | null;
  readonly sessionId: string;
  readonly profileId: string;
  readonly state: ApprovalState;
  readonly expiresAtMs: number;
  /** When it first reached somebody who may answer; null: nobody has seen it. */
  readonly deliveredAtMs: number | null;
  /** What an approver is shown, already redacted. */
  readonly payload: { readonly [key: string]: Json };
  readonly resolution: { readonly [key: string]: Json } | null;
}

export interface EntryUse {
  readonly entryId: string;
  readonly hits: number;
  readonly lastUsedAtMs: number;
}

/** How often people allowed and denied what is called the same in one repository or directory; see `nameShapes`. */
export interface AnswerCount {
  readonly shape: string;
  readonly directory: string;
  readonly allowed: number;
  readonly denied: number;
  readonly lastAtMs: number;
}

/** What a person allowed beside the profile: an entry, or anything inside a root; for one session or for a while. */
export interface GrantRecord {
  readonly id: string;
  readonly profileId: string;
  /** Null: in every session. */
  readonly sessionId: string | null;
  readonly atMs: number;
  readonly expiresAtMs: number;
  /** The policy's entry or grant, as it is decided by; `once`: one very proposal, the next time that it is asked about. */
  readonly kind: GrantKind;
  readonly body: { readonly [key: string]: Json };
}

/** A person's denial, for as long as it is remembered. */
export interface DenialRecord {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly atMs: number;
  readonly proposalHash: string;
  /** Who, why, and what the proposal would have done; redacted. */
  readonly body: { readonly [key: string]: Json };
}

export interface TokenRecord {
  readonly id: string;
  /** SHA-256 of the token; the token itself is shown once and kept nowhere. */
  readonly hash: string;
  readonly role: Role;
  /** A person's or an agent's. */
  readonly name: string;
  /** Never waits for a person. */
  readonly unattended: boolean;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** The token that it was made with; null: from before that was kept. */
  readonly madeBy: string | null;
}

/** An endpoint of the gateway. It belongs to the token that first used it. */
export interface DeviceRecord {
  readonly id: string;
  readonly tokenId: string;
  readonly name: string;
  /** Ed25519, raw, base64url; null for a device that can't sign. */
  readonly publicKey: string | null;
  readonly createdAtMs: number;
}

/** Who answers in a session, and in whose name it proposes. */
export interface ChatRecord {
  readonly sessionId: string;
  /** One of the configured agents. */
  readonly agent: string;
  /** Whose profile and workspace count. */
  readonly proposer: string;
  /** Never waits for a person. */
  readonly unattended: boolean;
}

export interface UsedChat extends ChatRecord {
  readonly createdAtMs: number;
  /** When the last entry of its transcript was made, or else itself. */
  readonly lastAtMs: number;
}

/** One entry of a session's transcript. */
export interface MessageRecord {
  readonly sessionId: string;
  /** From 1, +1 each. */
  readonly seq: number;
  readonly runId: string;
  readonly atMs: number;
  /** Filtered and capped. */
  readonly body: { readonly [key: string]: Json };
}
