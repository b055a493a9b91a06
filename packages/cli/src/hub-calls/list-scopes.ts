import type { ScopeOffer } from "@countersign/protocol/proposals";
import { listScopesResultSchema } from "@countersign/protocol/wire";
import { callHttp, type HttpHub } from "../connect/index.ts";

/** The ways to allow an approval more than once, the narrowest first. */
export async function listScopes(hub: HttpHub, approvalId: string): Promise<ScopeOffer[]> {
  const path = `/api/v1/approvals/${encodeURIComponent(approvalId)}/scopes`;
  return (await callHttp(hub, { method: "GET", path }, listScopesResultSchema)).value.scopes;
}
