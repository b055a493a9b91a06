import type { Identity } from "@countersign/core/base";
import type { Answer, AnswerResult, ExecApprovalRequestPayload, ScopeOffer } from "@countersign/protocol/proposals";
import type { ApprovalRecord, Commit, Write } from "@countersign/store";
import type { Decider } from "@countersign/vocabulary";
import type { Assurance } from "../identity/index.ts";

/** How an approval came to its end. */
export type Settlement =
  | {
      readonly how: "answered";
      readonly answer: Answer;
      readonly by: Identity;
      readonly assurance: Assurance;
      /** Where the answer holds for several that are the same question: which of them it was given on, and how many these are. */
      readonly shared?: { readonly card: string; readonly count: number };
    }
  /** `delivered` is false when it reached nobody who could have answered. */
  | { readonly how: "expired"; readonly delivered: boolean }
  | { readonly how: "cancelled"; readonly reason: string };

/**
 * What an approval is about. The approvals own waiting, deadlines and who wins; the question owns what a settlement
 * means.
 */
export interface Question {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly expiresAtMs: number;
  /** Time to live by the monotonic clock. */
  readonly liveMs: number;
  /** What must be the same, beside all that is shown, for two to be one question; undefined: there's never another. */
  readonly rest?: string;
  /** What this settlement means; may refuse an answer with a HubError, which then changes nothing. */
  settle(settlement: Settlement): Resolution | Promise<Resolution>;
  /** Called when the settlement could not be made durable: nobody may act on it. */
  failed(cause: unknown): void;
  /** The ways to allow it more than once, the narrowest first. */
  scopes?(): Promise<readonly ScopeOffer[]>;
  /** Of the same with another command, for whoever signs that. */
  hashOf?(command: string): string;
  /** Its card with nothing hidden. */
  revealed(card: ExecApprovalRequestPayload): ExecApprovalRequestPayload | Promise<ExecApprovalRequestPayload>;
}

export interface Resolution {
  /** What or who settled it, for those who saw the question. */
  readonly by: Decider;
  /** Committed together with closing the approval. */
  readonly writes: readonly Write[];
  /** Called when this settlement won and is durable. What it returns is added to the answer. */
  done(commit: Commit & { ok: true }): Promise<Partial<AnswerResult>> | Partial<AnswerResult>;
}

/** Puts questions to people. */
export interface Questions {
  /** Durable before anyone is asked; `writes` are committed with it. */
  open(question: Question, card: ApprovalRecord, writes: readonly Write[]): Promise<Commit>;
  cancel(approvalId: string, how: "cancelled", reason: string): Promise<boolean>;
}
