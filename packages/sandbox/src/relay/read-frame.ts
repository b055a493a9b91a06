import { JsonError, readJson, riskFloor } from "@countersign/receipts";
import { EXTERNAL_ENFORCEMENTS } from "@countersign/vocabulary";
import * as z from "zod";
import { MOST_DROPS } from "../delivery/index.ts";
import { RelayError } from "./relay-error.ts";

/** A frame that may go to the recorder, as the bytes that go. */
export interface RelayFrame {
  readonly sandboxId: string;
  /** The emitter's key and the sandbox's id: what one sandbox says never stands for what another said. */
  readonly key: string;
  readonly bytes: Buffer;
}

/** What the recorder takes; of one that is longer it reads nothing, and closes the connection. */
const LONGEST_FRAME = 1024 * 1024;
const LONGEST_ID = 256;
const LONGEST_OBJECT = 16 * 1024;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
/** Without `@`, which stands between it and the sandbox's id. */
const KEY = /^[A-Za-z0-9._-]{1,110}$/;

const id = z
  .string()
  .min(1)
  .max(LONGEST_ID)
  .regex(/^[^\0]*$/, "holds a NUL");
const time = z.string().max(64).regex(RFC_3339, "isn't a time as in RFC 3339");
const short = (value: object) => JSON.stringify(value).length <= LONGEST_OBJECT;
const tooLong = `has more than ${LONGEST_OBJECT} characters`;
const names = z.array(z.string().max(1_024)).max(64);

/** `ExecdFrame`, and what the delivery adds. The proxy is ours: what isn't known here isn't passed on. */
const frameSchema = z.strictObject({
  v: z.literal("1"),
  ts_emit: time,
  session_id: id,
  channel: z.literal("opensandbox_execd"),
  tool: z.strictObject({ name: id, server: z.literal("execd") }),
  action_type: id,
  decision: z.enum(["allowed", "denied"]),
  input: z.record(z.string(), z.unknown()),
  output: z.record(z.string(), z.unknown()).optional(),
  error: z
    .string()
    .max(64 * 1024)
    .optional(),
  correlation_id: id.optional(),
  idempotency_key: z.string().regex(KEY, "letters, digits, `.`, `_` and `-`, at most 110"),
  binding: z
    .strictObject({
      sandbox_id: id,
      endpoint: id,
      route: id,
      placement: z.literal("execd"),
      started_at: time.optional(),
      sent_as: z.string().max(8_192).optional(),
    })
    .refine(short, tooLong),
  coverage: z
    .strictObject({
      ...{ covers: names, excludes: names, placement: z.literal("execd"), limits: names },
      opensandbox_version: id.optional(),
    })
    .refine(short, tooLong),
  enforcement: z.enum(EXTERNAL_ENFORCEMENTS),
  drop_count: z.int().min(0).max(MOST_DROPS, `is more than ${MOST_DROPS}`).optional(),
});

/** Throws RelayError. Reads as strictly as the recorder does: what it would refuse must not be acknowledged first. */
export function readFrame(line: Uint8Array, sandboxId: string): RelayFrame {
  const json = readStrictly(decode(line));
  const { v } = (json ?? {}) as { readonly v?: unknown };
  if (typeof v === "string" && v !== "1")
    throw new RelayError("UNKNOWN_VERSION", "Only version 1 of frames is known here");
  const reading = frameSchema.safeParse(json);
  if (!reading.success) throw new RelayError("INVALID_FRAME", describe(reading.error));
  const { binding, session_id, action_type, idempotency_key } = reading.data;
  if (binding.sandbox_id !== sandboxId || session_id !== sandboxId)
    throw new RelayError("OTHER_SANDBOX", "The frame is about another sandbox than the certificate's");
  // What only the watcher of the network may say, and what only the recorder does, isn't a proxy's to say.
  if (riskFloor(action_type) === null || !/^(?:system|filesystem)\./.test(action_type))
    throw new RelayError("INVALID_FRAME", "action_type: isn't one of what a proxy sees");
  const key = `${idempotency_key}@${sandboxId}`;
  const frame = { ...(json as object), idempotency_key: key, ack: true };
  const bytes = Buffer.from(JSON.stringify(frame));
  // What came may have been shorter: 1e20 is written in 21 digits.
  if (bytes.length > LONGEST_FRAME)
    throw new RelayError("FRAME_TOO_LONG", `As the recorder reads it, a frame has at most ${LONGEST_FRAME} bytes`);
  return { sandboxId, key, bytes };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new RelayError("INVALID_UTF8", "The frame isn't UTF-8", { cause });
  }
}

function readStrictly(text: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new RelayError(cause.code, `The frame isn't JSON that everyone reads alike (at ${cause.offset})`, { cause });
  }
}

/** Where, and what is wrong there; never what stands there. */
function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join(".") || "frame"}: ${issue.message}`.slice(0, 300) : "isn't a frame";
}

/**
 * What is said in place of a frame that was acknowledged from the spool and that the recorder then refused for good: that so many were
 * dropped, and why. Its key follows from the frame's, so that it is said once.
 */
export function frameForRefused(refused: RelayFrame, code: string): RelayFrame {
  const { sandboxId } = refused;
  const { drop_count = 0, ts_emit } = JSON.parse(refused.bytes.toString()) as { drop_count?: number; ts_emit: string };
  const key = `refused-${refused.key}`;
  const frame = {
    ...{ v: "1", ts_emit, session_id: sandboxId, channel: "opensandbox_execd" },
    ...{ tool: { name: "relay", server: "countersign" }, action_type: "system.application.control" },
    ...{ decision: "allowed", error: `the recorder refused a frame that the relay had taken: ${code}` },
    ...{
      drop_count: Math.min(drop_count + 1, MOST_DROPS),
      idempotency_key: key,
      ack: true,
      binding: { sandbox_id: sandboxId },
    },
  };
  return { sandboxId, key, bytes: Buffer.from(JSON.stringify(frame)) };
}
