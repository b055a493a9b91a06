import { editOffline, trustOffline } from "@countersign/hub";
import { okSchema } from "@countersign/protocol/access";
import { type PolicyChange, type PolicyEdited, policyEditedSchema } from "@countersign/protocol/policy";
import { type GlobalOptions, homeDirOf } from "../base/index.ts";
import { callHttp, findHub } from "../connect/index.ts";
import { signatureOver } from "../hub-calls/index.ts";
import { hubIfAny, offline } from "./hub-or-home.ts";

/**
 * Through the hub where one runs: it would take an edit of the file for somebody else's, and freeze it. Where none runs, the
 * home is held and changed as a hub would.
 */
export async function sendEdit(
  edit: { readonly profile: string; readonly change: PolicyChange },
  options: GlobalOptions,
): Promise<PolicyEdited> {
  const hub = await hubIfAny(options);
  if (!hub) return await offline(() => editOffline(edit, homeDirOf(options)));
  const body = {
    ...edit,
    ...(await signatureOver({ approvalId: `policy:${edit.profile}`, content: edit }, hub, options)),
  };
  return (await callHttp(hub, { method: "POST", path: "/api/v1/policy/edit", body }, policyEditedSchema)).value;
}

/** `sha256` null takes the trust back. */
export async function sendTrust(
  trust: { readonly directory: string; readonly sha256: string | null },
  options: GlobalOptions,
): Promise<void> {
  const hub = await hubIfAny(options);
  if (!hub) return await offline(() => trustOffline(trust, homeDirOf(options)));
  const body = {
    ...trust,
    ...(await signatureOver({ approvalId: `trust:${trust.directory}`, content: trust }, hub, options)),
  };
  await callHttp(hub, { method: "POST", path: "/api/v1/policy/trust", body }, okSchema);
}

/** Takes back what an answer allowed for a session or for a while. Only a hub knows what is in force. */
export async function revokeGrant(id: string, options: GlobalOptions): Promise<void> {
  const path = `/api/v1/grants/${encodeURIComponent(id)}`;
  await callHttp(await findHub(options), { method: "DELETE", path }, okSchema);
}
