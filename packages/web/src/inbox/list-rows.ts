import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

export type InboxRow =
  | { readonly kind: "card"; readonly id: string }
  | { readonly kind: "expired"; readonly id: string; readonly payload: ExecApprovalRequestPayload };

/** The rows of the inbox: pending cards in order of arrival, then expired ones that can still be answered. */
export function listRows(ids: readonly string[], expired: readonly ExecApprovalRequestPayload[]): InboxRow[] {
  const waits = new Set(ids);
  return [
    ...ids.map((id) => ({ kind: "card", id }) as const),
    ...expired
      .filter(({ approvalId }) => !waits.has(approvalId))
      .map((payload) => ({ kind: "expired", id: payload.approvalId, payload }) as const),
  ];
}

/** Keeps each row in its place and appends new ones. Expired rows that can't be answered any more stay until `withoutGone` removes them. */
export function keepPlaces(before: readonly InboxRow[], listed: readonly InboxRow[]): InboxRow[] {
  const fresh = new Map(listed.map((row) => [row.id, row]));
  const kept: InboxRow[] = [];
  for (const row of before) {
    const now = fresh.get(row.id) ?? (row.kind === "expired" ? row : undefined);
    fresh.delete(row.id);
    if (now !== undefined) kept.push(now);
  }
  return [...kept, ...fresh.values()];
}

export function withoutGone(rows: readonly InboxRow[], listed: readonly InboxRow[]): readonly InboxRow[] {
  const ids = new Set(listed.map(({ id }) => id));
  return rows.every(({ id }) => ids.has(id)) ? rows : rows.filter(({ id }) => ids.has(id));
}

/** `3 waiting · 2 agents`. */
export function waitingWords(waiting: number, agents: number): string {
  if (waiting === 0) return "Nothing waits";
  return `${waiting.toLocaleString("en")} waiting · ${agents.toLocaleString("en")} ${agents === 1 ? "agent" : "agents"}`;
}
