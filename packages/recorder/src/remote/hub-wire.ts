import { LEDGER_TYPES, type LedgerDraft, type LedgerRow, type LedgerType } from "@countersign/store";
import * as z from "zod";

/**
 * Between a hub and a recorder in a process of its own: four bytes of length, big-endian, then JSON.
 *
 *   recorder → hub   challenge, then welcome or refused; later receipts, appended, rotated, failed
 *   hub → recorder   hello; later append, rotate
 *
 * Each proves to the other that it knows the pairing's secret, which itself is never sent.
 */
export const WIRE_VERSION = 1;

/** A receipt of 1 MiB, with every quote in it escaped, and what it is found by. */
export const LONGEST_MESSAGE = 4 * 1024 * 1024;
/** What goes into one message, as far as it isn't a single long one. */
const BATCH_BYTES = 512 * 1024;
export const BATCH_ROWS = 256;

/** Why a hub isn't let in. */
const REFUSALS = [
  "WRONG_USER",
  "WRONG_SECRET",
  "OTHER_HUB",
  "UNKNOWN_VERSION",
  "TOO_MANY_CONNECTIONS",
  "BAD_MESSAGE",
] as const;
export type HubRefusal = (typeof REFUSALS)[number];

const version = z.literal(WIRE_VERSION);
const hex = z.string().regex(/^[0-9a-f]{64}$/);
const seq = z.int().min(1);
const head = z.strictObject({ seq, hash: z.string().max(80) }).nullable();
const id = z.int().min(0);
const textOrNull = z.string().nullable();

/** What the recorder alone says of its ledger. */
const RECORDERS: readonly LedgerType[] = ["ledger-opened", "epoch-opened", "checkpoint", "key-rotated"];

/** Not a record: that would leave out a member called `__proto__`, and what came back would be something else than was told. */
const body = z.custom<LedgerDraft["body"]>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "an object was expected",
);

const draft = z.strictObject({
  type: z.enum(LEDGER_TYPES.filter((type) => !RECORDERS.includes(type))),
  sessionId: textOrNull,
  proposalKey: textOrNull,
  atMs: z.int(),
  body,
});

const row = z.strictObject({
  ...{ seq, raw: z.string(), type: z.string(), sessionId: textOrNull, proposalKey: textOrNull, atMs: z.int() },
  ...{ emitter: textOrNull, idempotencyKey: textOrNull },
});

export const helloSchema = z.strictObject({ t: z.literal("hello"), v: version, nonce: hex, proof: hex, have: head });

export const fromHubSchema = z.discriminatedUnion("t", [
  z.strictObject({
    t: z.literal("append"),
    id,
    drafts: z
      .array(z.strictObject({ key: z.uuid(), draft }))
      .min(1)
      .max(BATCH_ROWS),
  }),
  /** Change the key that signs; `body` says who wants it. */
  z.strictObject({ t: z.literal("rotate"), id, body }),
]);

export const fromRecorderSchema = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("challenge"), v: z.int(), nonce: hex }),
  /** `yours`: the hash of what the recorder has where the hub's ledger ends. */
  z.strictObject({ t: z.literal("welcome"), proof: hex, head, yours: textOrNull }),
  z.strictObject({ t: z.literal("refused"), code: z.enum(REFUSALS), message: z.string().max(1_000) }),
  z.strictObject({ t: z.literal("receipts"), rows: z.array(row).min(1).max(BATCH_ROWS) }),
  z.strictObject({ t: z.literal("appended"), id }),
  z.strictObject({ t: z.literal("rotated"), id, seq }),
  z.strictObject({ t: z.literal("failed"), id, code: z.string().max(64), message: z.string().max(2_000) }),
]);

export type FromRecorder = z.infer<typeof fromRecorderSchema>;
type Hello = z.infer<typeof helloSchema>;
export type FromHub =
  | Hello
  | { t: "append"; id: number; drafts: { key: string; draft: LedgerDraft }[] }
  | { t: "rotate"; id: number; body: LedgerDraft["body"] };

/** The first so many that fit into a message; at least one. */
export function batchOf<T>(items: readonly T[], bytesOf: (item: T) => number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > BATCH_BYTES;
  });
  return end < 0 ? items : items.slice(0, end);
}

export function rowBytes({ raw }: LedgerRow): number {
  return raw.length;
}
