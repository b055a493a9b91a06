import { describeIssues } from "@countersign/core/errors";
import { JsonError, readJson } from "@countersign/receipts";
import { EXTERNAL_ENFORCEMENTS } from "@countersign/vocabulary";
import * as z from "zod";
import { FrameError } from "./frame-error.ts";

const LONGEST_ID = 256;
/** More than any emitter ever drops between two frames, and so little that sums of it stay exact. */
const MOST_DROPS = 1_000_000_000;
const LONGEST_TEXT = 1024 * 1024;

/** Columns hold them, and those hold no NUL. */
const id = z
  .string()
  .min(1)
  .max(LONGEST_ID)
  .regex(/^[^\0]*$/, "holds a NUL");
/** Go leaves empty texts out, others write them or null: all the same. */
const optionalId = z
  .literal("")
  .transform(() => undefined)
  .or(id)
  .nullish();
const optionalText = z.string().max(LONGEST_TEXT).nullish();
/** Goes into the receipt as it is, so it is kept small. */
const LONGEST_OBJECT = 16 * 1024;
const openObject = z
  .record(z.string(), z.json())
  .refine((value) => JSON.stringify(value).length <= LONGEST_OBJECT, `has more than ${LONGEST_OBJECT} characters`);

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** As in RFC 3339, and a day that there is. */
export const timeSchema = z
  .string()
  .max(64)
  .regex(RFC_3339, "isn't a time as in RFC 3339")
  .refine((text) => !Number.isNaN(Date.parse(text)), "isn't a time as in RFC 3339");

/** The peer's frame, version 1, and what we add: `ack`, and for sandboxes `binding`, `coverage` and `enforcement`. Others are ignored. */
const frameSchema = z.looseObject({
  v: z.literal("1"),
  ts_emit: z.string().max(64).regex(RFC_3339, "isn't a time as in RFC 3339"),
  session_id: id,
  channel: id,
  tool: z.looseObject({ name: id, server: optionalId }),
  decision: z.enum(["allowed", "denied", "pending"]),
  action_type: optionalId,
  /** Any JSON; null is none. Only hashes of them are kept. */
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: optionalText,
  drop_count: z.int().min(0).max(MOST_DROPS, `is more than ${MOST_DROPS}`).nullish(),
  issuer_name: optionalId,
  issuer_model: optionalId,
  operator_id: optionalId,
  operator_name: optionalId,
  idempotency_key: optionalId,
  correlation_id: optionalId,
  agent_id: optionalId,
  agent_type: optionalId,
  ack: z.boolean().nullish(),
  binding: openObject.nullish(),
  coverage: openObject.nullish(),
  enforcement: z.enum(EXTERNAL_ENFORCEMENTS).nullish(),
});
export type Frame = z.infer<typeof frameSchema>;

/** Throws FrameError. Nothing is guessed at: what two readers could read differently is refused. */
export function readFrame(bytes: Uint8Array): Frame {
  const json = readStrictly(decode(bytes));
  const version = (json as { readonly v?: unknown } | null)?.v;
  if (typeof version === "string" && version !== "1")
    throw new FrameError("UNKNOWN_VERSION", "Only version 1 of frames is known here");
  const reading = frameSchema.safeParse(json);
  if (reading.success) return reading.data;
  throw new FrameError("INVALID_FRAME", describeIssues(reading.error, "frame"));
}

/** Whether somebody waits for an answer, also to a frame that is refused for how it is written. Nothing else rests on this. */
export function asksForAnswer(bytes: Uint8Array): boolean {
  try {
    const frame = JSON.parse(Buffer.from(bytes).toString()) as { readonly ack?: unknown } | null;
    return frame?.ack === true;
  } catch {
    return false;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new FrameError("INVALID_UTF8", "The frame isn't UTF-8", { cause });
  }
}

function readStrictly(text: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new FrameError(cause.code, `The frame isn't JSON that everyone reads alike (at ${cause.offset})`, { cause });
  }
}
