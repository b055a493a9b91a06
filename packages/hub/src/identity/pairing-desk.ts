import type { Identity } from "@countersign/core/base";
import type { PairingStarted, PairingView } from "@countersign/protocol/access";
import type { Pairing } from "./pairing.ts";

/** The approver's side of pairing, for whoever started the process: they have its first token anyway. */
export interface PairingDesk {
  start(): Promise<PairingStarted>;
  /** Waits so long for a claim. */
  see(code: string, wait: { readonly waitMs: number; readonly gone?: AbortSignal }): Promise<PairingView>;
  /** Who is let in, as `see` told of them. */
  confirm(code: string, claimant: Claimant): Promise<void>;
  refuse(code: string): Promise<void>;
}

/** Who claimed a code. */
export type Claimant = Pick<Extract<PairingView, { state: "claimed" }>, "name" | "check" | "keyId">;

export function pairingDesk(pairing: Pairing, by: Identity): PairingDesk {
  return {
    start: async () => pairing.start(),
    see: (code, wait) => pairing.see(code, wait),
    confirm: (code, { check }) => pairing.confirm({ code, check }, { by, vouch: async () => ({ level: "terminal" }) }),
    refuse: async (code) => pairing.refuse(code),
  };
}
