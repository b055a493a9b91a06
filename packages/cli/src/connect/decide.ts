import { type Answer, type AnswerResult, answerResultSchema } from "@countersign/sdk";
import type { HttpHub } from "./find-hub.ts";
import { callHttp } from "./http.ts";

export async function decide(hub: HttpHub, approvalId: string, answer: Answer): Promise<AnswerResult> {
  const path = `/api/v1/approvals/${encodeURIComponent(approvalId)}/decision`;
  return (await callHttp(hub, { method: "POST", path, body: answer }, answerResultSchema)).value;
}
