import type {
  ApprovalClosed,
  ApprovalCounted,
  ExecApprovalRequestPayload,
  RunEnded,
  RunView,
} from "@countersign/protocol/proposals";

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
/** Tells who watches that a policy isn't what it was: they look again. What changed is theirs to ask for, as far as they may. */
export class PolicyNews {
  readonly #listeners = new Set<() => void>();

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export type RunEvent =
  | { readonly kind: "started"; readonly run: RunView }
  | { readonly kind: "ended"; readonly ended: RunEnded };

/**
 * What begins and ends, for those who look at what runs. Told in a turn of its own: whoever is given the list and listens from
 * that moment on has the list before the first of it. What is in both is told twice, and is the same.
 */
export class RunNews {
  readonly #listeners = new Set<(told: RunEvent) => void>();
  #waiting: RunEvent[] = [];

  /** A listener must not throw. Returns how to stop listening. */
  listen(listener: (told: RunEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is to be told is made only where somebody listens. */
  tell(make: () => RunEvent): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.push(make()) > 1) return;
    setImmediate(() => {
      const told = this.#waiting;
      this.#waiting = [];
      for (const each of told) for (const listener of this.#listeners) listener(each);
    });
  }
}

/** `exec.approval_request`: seed 003's three fields, and what else a person needs to answer. */
export function askedEvent(card: ExecApprovalRequestPayload) {
  const { approvalId, command, cwd, agentId: sessionKey, riskLevel, riskReasons, expiresAtMs, diff, count } = card;
  const asked = { approvalId, command, workingDir: cwd ?? "", sessionKey, riskLevel, riskReasons, expiresAtMs };
  return { ...asked, ...(diff === undefined ? {} : { diff }), ...(count === undefined ? {} : { count }) };
}
