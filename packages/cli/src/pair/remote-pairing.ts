import type { PairingApprover } from "@countersign/hub";
import { okSchema, pairingStartedSchema, pairingViewSchema } from "@countersign/protocol/access";
import type { GlobalOptions } from "../base/index.ts";
import { callHttp, type HttpHub } from "../connect/index.ts";
import { signatureOver } from "../hub-calls/index.ts";

/** The desk of a hub in another process. */
export function remotePairing(hub: HttpHub, options: GlobalOptions): PairingApprover {
  const at = (code: string) => `/api/v1/pairing/${encodeURIComponent(code)}`;
  return {
    start: async () =>
      (await callHttp(hub, { method: "POST", path: "/api/v1/pairing", body: {} }, pairingStartedSchema)).value,
    see: async (code, { waitMs, gone }) => {
      const path = `${at(code)}?waitMs=${waitMs}`;
      return (await callHttp(hub, { method: "GET", path, gone }, pairingViewSchema)).value;
    },
    confirm: async (code, { name, check, keyId }) => {
      const change = { approvalId: `pairing:${code}`, content: { check, code, keyId, name } };
      const body = { code, check, ...(await signatureOver(change, hub, options)) };
      await callHttp(hub, { method: "POST", path: "/api/v1/pairing/confirm", body }, okSchema);
    },
    refuse: async (code) => {
      await callHttp(hub, { method: "DELETE", path: at(code) }, okSchema);
    },
  };
}
