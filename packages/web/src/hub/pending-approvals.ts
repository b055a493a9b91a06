import {
  type ApprovalClosed,
  approvalClosedSchema,
  approvalCountedSchema,
  type Envelope,
  ExecApprovalCountedAction,
  ExecApprovalExpiredAction,
  ExecApprovalRequestAction,
  type ExecApprovalRequestPayload,
  ExecApprovalResolvedAction,
  execApprovalRequestSchema,
} from "@countersign/protocol/proposals";
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** A card and how it ended. A settled card stays until it is dismissed, so that nothing vanishes while someone reads it. */
export interface Card {
  readonly payload: ExecApprovalRequestPayload;
  readonly end?: CardEnd;
}

export type CardEnd =
  | { readonly kind: "resolved" | "expired"; readonly closed: ApprovalClosed; readonly atMs: number }
  /** Settled during an outage; the page doesn't know how. */
  | { readonly kind: "gone"; readonly atMs: number };

const MOST_SETTLED = 500;

/** The pending approvals, oldest first, as the hub reports them. */
export class PendingApprovals {
  readonly #cards = new Map<string, Signal<Card>>();
  readonly #ids = signal<readonly string[]>([]);

  /** In order of arrival, which never changes. */
  readonly ids: ReadonlySignal<readonly string[]> = this.#ids;
  readonly waiting = computed(
    () => this.#ids.value.filter((id) => this.#cards.get(id)?.value.end === undefined).length,
  );

  get(approvalId: string): ReadonlySignal<Card> | undefined {
    return this.#cards.get(approvalId);
  }

  /** Removes those cards that are settled. */
  dismiss(approvalIds: readonly string[]): void {
    const ended = new Set(approvalIds.filter((id) => this.#cards.get(id)?.value.end !== undefined));
    for (const id of ended) this.#cards.delete(id);
    if (ended.size > 0) this.#ids.value = this.#ids.value.filter((id) => !ended.has(id));
  }

  /** Applies a batch as one change: a new connection may begin with thousands of messages. */
  hear(messages: readonly Envelope[]): void {
    const fresh: string[] = [];
    for (const { action, payload } of messages) {
      if (action === ExecApprovalRequestAction) {
        const card = execApprovalRequestSchema.safeParse(payload);
        if (card.success && this.#ask(card.data)) fresh.push(card.data.approvalId);
      } else if (action === ExecApprovalCountedAction) {
        const counted = approvalCountedSchema.safeParse(payload);
        if (counted.success) this.#count(counted.data.approvalId, counted.data.count);
      } else if (action === ExecApprovalResolvedAction || action === ExecApprovalExpiredAction) {
        const closed = approvalClosedSchema.safeParse(payload);
        const kind = action === ExecApprovalExpiredAction ? "expired" : "resolved";
        if (closed.success) this.#end(closed.data.approvalId, { kind, closed: closed.data, atMs: Date.now() });
      }
    }
    if (fresh.length > 0) this.#ids.value = [...this.#ids.value, ...fresh];
    this.#forgetOldest();
  }

  /** Limits the number of settled cards if nobody dismisses them. */
  #forgetOldest(): void {
    if (this.#cards.size <= MOST_SETTLED) return;
    const settled = this.#ids.peek().filter((id) => this.#cards.get(id)?.peek().end !== undefined);
    if (settled.length > MOST_SETTLED) this.dismiss(settled.slice(0, settled.length - MOST_SETTLED));
  }

  /** Applies the counts of the hub's current list. */
  recount(listed: readonly ExecApprovalRequestPayload[]): void {
    for (const { approvalId, count = 1 } of listed) {
      if ((this.#cards.get(approvalId)?.peek().payload.count ?? 1) !== count) this.#count(approvalId, count);
    }
  }

  /** Marks cards that were settled during an outage. */
  gone(approvalIds: readonly string[]): void {
    for (const id of approvalIds) this.#end(id, { kind: "gone", atMs: Date.now() });
  }

  #ask(payload: ExecApprovalRequestPayload): boolean {
    const known = this.#cards.get(payload.approvalId);
    if (known === undefined) {
      this.#cards.set(payload.approvalId, signal<Card>({ payload }));
      return true;
    }
    known.value = { payload };
    return false;
  }

  #count(approvalId: string, count: number): void {
    const card = this.#cards.get(approvalId);
    if (card === undefined) return;
    const { count: _, ...payload } = card.value.payload;
    card.value = { ...card.value, payload: count > 1 ? { ...payload, count } : payload };
  }

  #end(approvalId: string, end: CardEnd): void {
    const card = this.#cards.get(approvalId);
    if (card !== undefined && card.value.end === undefined) card.value = { ...card.value, end };
  }
}
