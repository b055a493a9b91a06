import {
  type Envelope,
  ExecApprovalExpiredAction,
  ExecApprovalRequestAction,
  ExecApprovalResolvedAction,
} from "@countersign/protocol/proposals";

/** How many open approvals are remembered; past it the oldest is forgotten, and would be handed on again by a replay. */
export const MAX_REMEMBERED_APPROVALS = 10_000;

/**
 * Which approvals the listeners have already seen: the hub replays all that are open whenever a client registers, and a
 * person must not be asked twice. The sender is part of the key: another device that uses an approval's id first
 * must not hide the hub's own question.
 */
export class DeliveredApprovals {
  readonly #keys = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  /** Takes note of the message; `false` means that it is a repetition. */
  isNews({ from, action, payload }: Envelope): boolean {
    const key = JSON.stringify([from, (payload as { approvalId?: unknown } | null)?.approvalId]);
    if (action === ExecApprovalResolvedAction || action === ExecApprovalExpiredAction) this.#keys.delete(key);
    if (action !== ExecApprovalRequestAction) return true;
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_REMEMBERED_APPROVALS && oldest !== undefined) this.#keys.delete(oldest);
    return true;
  }
}
