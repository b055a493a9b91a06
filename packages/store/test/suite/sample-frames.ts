import { riskFloor } from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import type { EmittedDraft, FrameRecord } from "../../src/ledger/frame-record.ts";

export function emittedDraft(type = "mcp.tool"): EmittedDraft {
  const at = "2026-01-01T00:00:00.000Z";
  return {
    id: `urn:receipt:${uuidv7()}`,
    issuanceDate: at,
    issuer: { session_id: "s1", runtime: { channel: "mcp" } },
    credentialSubject: {
      principal: { id: "uid:1" },
      action: { id: `act_${uuidv7()}`, type, risk_level: riskFloor(type) ?? "medium", timestamp: at },
      outcome: { status: "success" },
    },
  };
}

/** In the form that can be read back. */
type DraftedFrame = Omit<FrameRecord, "receipts"> & { readonly receipts: readonly [...EmittedDraft[], EmittedDraft] };

export function frameRecord(set: Partial<DraftedFrame> = {}): DraftedFrame {
  const made = { emitter: "uid:1", chain: "uid:1", idempotencyKey: null, atMs: 1_000, chainsPerDay: 100 } as const;
  return { ...made, receipts: [emittedDraft()], ...set };
}
