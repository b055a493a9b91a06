import {
  type AnswerResult,
  answerResultSchema,
  type ExecApprovalRequestPayload,
} from "@countersign/protocol/proposals";
import type { PlainAnswer } from "@countersign/sdk";
import type { GlobalOptions } from "../base/index.ts";
import { callHttp, type HttpHub } from "../connect/index.ts";
import { signerFor } from "./sign.ts";

/** Answers a card, signed where this terminal has a key. */
export async function decide(
  hub: HttpHub,
  { card, ...answer }: PlainAnswer & { readonly card: ExecApprovalRequestPayload },
  options: GlobalOptions,
): Promise<AnswerResult> {
  const path = `/api/v1/approvals/${encodeURIComponent(card.approvalId)}/decision`;
  const { answer: sign } = await signerFor(hub, options);
  const body = await sign(card, answer);
  return (await callHttp(hub, { method: "POST", path, body }, answerResultSchema)).value;
}
