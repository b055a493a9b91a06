import {
  type ExecApprovalRequestPayload,
  type ExpiredApprovalGrant,
  execApprovalRequestSchema,
  expiredApprovalGrantSchema,
} from "@countersign/protocol/proposals";
import * as z from "zod";
import type { GlobalOptions } from "../base/index.ts";
import { callHttp, type HttpHub } from "../connect/index.ts";
import { pickFrom } from "./pick-approval.ts";
import { signerFor } from "./sign.ts";

/** The expired approval that a person means. */
export async function pickExpired(hub: HttpHub, id: string): Promise<ExecApprovalRequestPayload> {
  const { value } = await callHttp(hub, { method: "GET", path: "/api/v1/expired" }, z.array(execApprovalRequestSchema));
  return pickFrom(value, id.toLowerCase());
}

/** Allows it for when it asks again, signed where this terminal has a key. */
export async function allowLate(
  hub: HttpHub,
  card: ExecApprovalRequestPayload,
  options: GlobalOptions,
): Promise<ExpiredApprovalGrant> {
  const path = `/api/v1/approvals/${encodeURIComponent(card.approvalId)}/allow-if-asks-again`;
  const body = await (await signerFor(hub, options)).late(card);
  return (await callHttp(hub, { method: "POST", path, body }, expiredApprovalGrantSchema)).value;
}
