import type { ApprovalClosed, ApprovalCounted, ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

/** What everyone who watches is told, once it is durable. */
export type ApprovalNews =
  | { readonly kind: "asked"; readonly card: ExecApprovalRequestPayload }
  /** So many share the card now. */
  | { readonly kind: "counted"; readonly counted: ApprovalCounted }
  | { readonly kind: "resolved" | "expired"; readonly closed: ApprovalClosed };

/** The hub speaks, the doors listen. A listener must not throw: it has no one to throw to. */
export class News {
  readonly #listeners = new Set<(news: ApprovalNews) => void>();

  listen(listener: (news: ApprovalNews) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(news: ApprovalNews): void {
    for (const listener of this.#listeners) listener(news);
  }
}
