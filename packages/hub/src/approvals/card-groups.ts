import { sha256Hex } from "@countersign/core/base";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { canonicalize, type Json } from "@countersign/receipts";
import type { ApprovalRecord } from "@countersign/store";
import type { Question } from "../policies/index.ts";

/**
 * Which of the questions that wait are the same one: they show one card, the first's, with their number. Each keeps its own row,
 * deadline and proposer, so nothing here has to survive a crash.
 */
export class CardGroups {
  readonly #groups = new Map<string, string[]>();
  readonly #keys = new Map<string, string>();

  /** How many cards there are to be seen. */
  get size(): number {
    return this.#groups.size;
  }

  add(id: string, key: string): void {
    this.#keys.set(id, key);
    const group = this.#groups.get(key);
    if (group) group.push(id);
    else this.#groups.set(key, [id]);
  }

  remove(id: string): void {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#keys.delete(id);
    const group = this.#groups.get(key)?.filter((other) => other !== id) ?? [];
    if (group.length > 0) this.#groups.set(key, group);
    else this.#groups.delete(key);
  }

  /** Those that share a card with this one, itself included; the first's card is the one that is seen. */
  of(id: string): readonly string[] {
    const key = this.#keys.get(id);
    return (key === undefined ? undefined : this.#groups.get(key)) ?? [];
  }

  isSeen(id: string): boolean {
    return this.of(id)[0] === id;
  }

  /** The card as it is shown now. */
  shown({ id, payload }: Pick<ApprovalRecord, "id" | "payload">): ExecApprovalRequestPayload {
    const card = payload as unknown as ExecApprovalRequestPayload;
    const count = this.of(id).length;
    return count > 1 ? { ...card, count } : card;
  }
}

/**
 * Two are the same question when a person is shown the same about both, the agent's claim included, and an answer would bind the
 * same: what was never shown is never approved along.
 */
export function questionKey({ rest }: Question, { id, payload }: Pick<ApprovalRecord, "id" | "payload">): string {
  if (rest === undefined) return id;
  const { approvalId: _, expiresAtMs: __, ...shown } = payload;
  return sha256Hex(canonicalize([rest, shown] as Json));
}
