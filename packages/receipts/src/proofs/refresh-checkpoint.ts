import { compareWithMemory } from "../checkpoint/index.ts";
import type { ReceiptCrypto } from "../crypto/index.ts";
import type { FaultCode } from "../verify/index.ts";
import { hashesOf, openByLine } from "./check.ts";
import { type FollowedHistory, followKeyHistory, type KeyHistory } from "./key-history.ts";

/** What somebody keeps of a ledger that they don't have: the newest checkpoint that they saw, and what its key rests on. */
export interface LedgerMemory {
  readonly note: string;
  readonly line: KeyHistory;
}

export type Observation =
  /** Keep this instead. */
  | {
      readonly kind: "kept";
      readonly how: "first" | "same" | "grown";
      readonly memory: LedgerMemory;
      readonly size: number;
    }
  /** Keep what you have, and tell everybody. */
  | {
      readonly kind: "alarm";
      readonly code: FaultCode;
      readonly detail: string;
      /** How many receipts were remembered, and how many are shown; 0: not even that can be believed. */
      readonly remembered: number;
      readonly shown: number;
    };

export interface Asking {
  readonly crypto: ReceiptCrypto;
  /** The ledger's own proof that it has only grown, as base64. */
  prove(sizes: { readonly from: number; readonly to: number }): Promise<readonly string[]>;
}

/**
 * Holds the checkpoint that is shown now against the one that is remembered. Ask for the one after having read the other: or one that was
 * remembered meanwhile makes an honest answer look old. At the first sight anything is believed: it proves nothing about who shows it.
 */
export async function refreshCheckpoint(
  memory: LedgerMemory | null,
  shown: LedgerMemory,
  { crypto, prove }: Asking,
): Promise<Observation> {
  const now = await open(shown, crypto);
  if (now.kind === "alarm") return now;
  const { size } = now.checkpoint;
  if (memory === null) return { kind: "kept", how: "first", memory: shown, size };
  const then = await open(memory, crypto);
  // What we kept ourselves is spoilt; that is no reason to believe anything.
  if (then.kind === "alarm") return { ...then, detail: `what is remembered is spoilt: ${then.detail}` };
  const remembered = then.checkpoint.size;
  const alarm = (code: FaultCode, detail: string) =>
    ({ kind: "alarm", code, detail, remembered, shown: size }) as const;
  if (memory.line[0] !== shown.line[0])
    return alarm("ISSUER_MISMATCH", "another ledger than the one that is remembered");
  const changed = memory.line.findIndex((raw, index) => raw !== shown.line[index]);
  if (changed !== -1 && changed < shown.line.length) return alarm("FORKED", "another change of the key is remembered");
  if (changed !== -1 || size < remembered)
    return alarm("TRUNCATED", `${remembered} receipts are remembered, and ${size} are shown`);
  if (now.signer < then.signer) return alarm("INVALID_SIGNATURE", "signed with a key that was given up");
  const proof = size === remembered ? [] : hashesOf(await prove({ from: remembered, to: size }));
  const comparison = compareWithMemory(then.checkpoint, { ...now.checkpoint, proof: proof ?? [] }, crypto);
  if (comparison === "grown" || comparison === "same") return { kind: "kept", how: comparison, memory: shown, size };
  return alarm(
    "FORKED",
    `nothing proves that the first ${remembered} of ${size} receipts are those that are remembered`,
  );
}

type Alarm = Extract<Observation, { readonly kind: "alarm" }>;
type Opened = { readonly kind: "opened" } & NonNullable<Awaited<ReturnType<typeof openByLine>>>;

async function open({ note, line }: LedgerMemory, crypto: ReceiptCrypto): Promise<Opened | Alarm> {
  const followed: FollowedHistory = await followKeyHistory(line, crypto);
  const nothing = { remembered: 0, shown: 0 };
  if (followed.kind === "broken") {
    const { code, detail } = followed.fault;
    return { kind: "alarm", code, detail: `the ledger's line of keys: ${detail}`, ...nothing };
  }
  const opened = await openByLine(note, followed, crypto);
  if (opened !== null) return { kind: "opened", ...opened };
  return {
    kind: "alarm",
    code: "INVALID_SIGNATURE",
    detail: "the checkpoint isn't signed by a key of the ledger",
    ...nothing,
  };
}
