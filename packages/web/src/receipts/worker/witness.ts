import { checkpointViewSchema, consistencyProofSchema } from "@countersign/protocol/records";
import { didOfKey, followKeyHistory, type LedgerMemory, webCrypto, witnessLedger } from "@countersign/receipts";
import { ApiError, callApi } from "../../hub/index.ts";
import { recall, remember } from "./checkpoint-db.ts";
import type { HubAccess, WitnessedHub } from "./messages.ts";

const crypto = webCrypto();

/** Compares the hub's record with the remembered one, and remembers the new one if it has only grown. */
export async function witness({ token, deviceId }: HubAccess): Promise<WitnessedHub> {
  const before = await recall(deviceId);
  const ledger = {
    checkpoint: async () => await newestCheckpoint(token),
    prove: async (query: { readonly from: number; readonly to: number }) =>
      (await callApi(token, consistencyProofSchema, "GET /api/v1/receipts/consistency", { query })).proof,
  };
  const store = {
    recall: () => before?.memory ?? null,
    remember: async (memory: LedgerMemory) => {
      const key = await firstKey(memory);
      // Not a first sight: the key was seen before there was a checkpoint.
      if (before !== null && before.key !== key) return;
      await remember(deviceId, { key, sinceMs: before?.sinceMs ?? Date.now(), memory });
    },
  };
  const seen = await witnessLedger(ledger, store, crypto);
  const now = await recall(deviceId);
  if (seen.kind === "kept" && now !== null && now.key !== (await firstKey(seen.memory))) {
    const detail = "another key than the one that is remembered began it";
    const alarm = { kind: "alarm", code: "ISSUER_MISMATCH", detail, remembered: 0, shown: seen.size } as const;
    return { seen: alarm, key: now.key, sinceMs: now.sinceMs };
  }
  return { seen, key: now?.key ?? null, sinceMs: now?.sinceMs ?? null };
}

/** Null if there is none yet. */
async function newestCheckpoint(token: string): Promise<LedgerMemory | null> {
  try {
    return await callApi(token, checkpointViewSchema, "GET /api/v1/checkpoint");
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === "NOT_FOUND") return null;
    throw cause;
  }
}

async function firstKey({ line }: LedgerMemory): Promise<string> {
  const followed = await followKeyHistory(line, crypto);
  const first = followed.kind === "line" ? followed.keys[0] : undefined;
  return first === undefined ? "" : didOfKey(first);
}
