import { filterSecrets } from "@countersign/core/redaction";
import type { Write } from "@countersign/store";
import type { Decider } from "@countersign/vocabulary";
import type { ApprovalNews } from "../events/index.ts";
import type { Settlement } from "../policies/index.ts";
import type { redactClosedCard } from "./card.ts";

/** Closes the row, with what is kept of how it ended. */
export function closingWrite(id: string, settlement: Settlement, kept: ReturnType<typeof redactClosedCard>): Write {
  const { how } = settlement;
  const state = how === "answered" ? "resolved" : how === "expired" ? "expired" : "cancelled";
  return { op: "close-approval", id, state, resolution: describe(settlement), ...kept };
}

function describe(settlement: Settlement): { how: string; decision?: string; by?: string; reason?: string } {
  if (settlement.how !== "answered") {
    return { how: settlement.how, ...("reason" in settlement ? { reason: settlement.reason } : {}) };
  }
  const { decision, reason } = settlement.answer;
  return {
    how: "answered",
    decision,
    by: settlement.by.name,
    ...(reason === undefined ? {} : { reason: filterSecrets(reason) }),
  };
}

export function closedNews(approvalId: string, settlement: Settlement, by: Decider): ApprovalNews {
  if (settlement.how === "expired") return { kind: "expired", closed: { approvalId, by } };
  if (settlement.how !== "answered") return { kind: "resolved", closed: { approvalId, by, reason: settlement.reason } };
  const { answer, assurance } = settlement;
  const told = {
    ...(assurance.level === "device" ? { device: assurance.name } : {}),
    ...(answer.reason === undefined ? {} : { reason: filterSecrets(answer.reason) }),
  };
  const { decision } = answer;
  return { kind: "resolved", closed: { approvalId, decision, by, name: settlement.by.name, ...told } };
}
