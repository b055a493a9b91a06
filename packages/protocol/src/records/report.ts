import * as z from "zod";

/** The longest list of single receipts in a report; what goes past it is counted in `leftOut`. */
export const MAX_REPORTED = 1_000;

/** The span is half-open: from `fromMs` on, up to but not including `toMs`. */
export const reportParamsSchema = z
  .strictObject({ fromMs: z.coerce.number().int(), toMs: z.coerce.number().int() })
  .refine(({ fromMs, toMs }) => fromMs < toMs, { path: ["toMs"], error: "must be after fromMs" })
  .refine(({ fromMs, toMs }) => isDate(fromMs) && isDate(toMs), { path: ["fromMs"], error: "isn't a date" });
export type ReportParams = z.infer<typeof reportParamsSchema>;

function isDate(ms: number): boolean {
  return Math.abs(ms) <= 8_640_000_000_000_000;
}

const countsSchema = z.record(z.string(), z.number());

/** What came and went: `before + entered = left + after`. */
const flowSchema = z.object({
  /** There when the span begins. */
  before: z.number(),
  entered: z.number(),
  left: z.number(),
  /** Still there when it ends. */
  after: z.number(),
});
export type ReportFlow = z.infer<typeof flowSchema>;

const reportEventSchema = z.object({
  seq: z.number(),
  at: z.string(),
  /** `policy-changed`, `paused`, `token-created` … */
  type: z.string(),
  session: z.string().nullable(),
  said: z.record(z.string(), z.unknown()),
});
export type ReportEvent = z.infer<typeof reportEventSchema>;

const approverSchema = z.object({
  person: z.string(),
  /** The device's id where it signed. */
  device: z.string().nullable(),
  assurance: z.string().nullable(),
  allowed: z.number(),
  denied: z.number(),
  /** From the proposal to the answer; null where the record doesn't tell. */
  medianMs: z.number().nullable(),
  slowestMs: z.number().nullable(),
});
export type ReportApprover = z.infer<typeof approverSchema>;

const agentSchema = z.object({
  agent: z.string(),
  allowed: z.number(),
  /** Of all that was decided, what a person was asked about. */
  asked: z.number(),
  /** Denied, expired or cancelled. */
  refused: z.number(),
  ended: z.number(),
  /** Of those, all but exit code 0. */
  failed: z.number(),
  /** For answers of people. */
  waitedMs: z.number(),
});
export type ReportAgent = z.infer<typeof agentSchema>;

const emitterSchema = z.object({
  /** `uid:1000`, `sandbox:…`: the chain that it writes to; with ` (egress)`, who watches that sandbox's network from the host. */
  emitter: z.string(),
  frames: z.number(),
  /** Without what was blocked: there a rule did what it is for. */
  failed: z.number(),
  /** Frames of flows that were kept from leaving. */
  blocked: z.number(),
  /** How often it says that nobody looked for a while. */
  unwatched: z.number(),
  /** What it told that never came: emitted = frames + dropped. */
  dropped: z.number(),
});
export type ReportEmitter = z.infer<typeof emitterSchema>;

const downSchema = z.object({
  from: z.string(),
  /** null: still down when the span ends. */
  to: z.string().nullable(),
  /** `stopped`: it said goodbye. `crashed`: from its last word on. */
  how: z.enum(["stopped", "crashed"]),
});
export type ReportDown = z.infer<typeof downSchema>;

/** All of it follows from signed receipts alone, so that whoever has them can count again. */
export const figuresSchema = z.object({
  receipts: z.object({ count: z.number(), byType: countsSchema }),
  /** Proposed, until it is decided. What nobody has answered yet isn't on record. */
  waiting: flowSchema,
  /** Of `waiting.left`: allowed + denied + expired + cancelled. */
  decided: z.object({
    allowed: z.number(),
    denied: z.number(),
    expired: z.number(),
    cancelled: z.number(),
    allowedBy: countsSchema,
    deniedBy: countsSchema,
    allowedRisk: countsSchema,
    allowedEnforcement: countsSchema,
  }),
  /** Allowed, until it starts or ends without having started. */
  permitted: flowSchema.extend({ started: z.number(), neverStarted: countsSchema }),
  /** Started, until it ends. `as`: exited with 0 is `succeeded`, with another code `failed`; else the outcome's kind. */
  running: flowSchema.extend({ as: countsSchema, reportedBy: countsSchema }),
  previews: flowSchema.extend({ as: countsSchema }),
  agents: z.array(agentSchema),
  approvers: z.array(approverSchema),
  emitters: z.array(emitterSchema),
  authFailures: z.object({ count: z.number(), addresses: z.array(z.string()) }),
  /** What changed who may do what, and everything else that the hub said. */
  events: z.array(reportEventSchema),
  gaps: z.object({
    /** When the record begins, where that is after the span's beginning. */
    recordBegins: z.string().nullable(),
    epochs: z.array(reportEventSchema),
    downs: z.array(downSchema),
    /** Receipts that are dated before the one that they follow. */
    clock: z.object({ count: z.number(), largestMs: z.number(), firstSeq: z.number().nullable() }),
    /** Begun by an emitter within the span, and not ended in it. */
    incomplete: z.array(z.object({ code: z.string(), seq: z.number(), emitter: z.string(), subject: z.string() })),
    /** Receipts that don't fit what is on record before them. */
    odd: z.array(z.object({ code: z.string(), seq: z.number() })),
  }),
  /** How many didn't fit into the lists above, by list. */
  leftOut: countsSchema,
});
export type Figures = z.infer<typeof figuresSchema>;

/** Answer of `GET /api/v1/report` and `receipts.report`. */
export const reportSchema = z.object({
  format: z.literal("countersign-report/1"),
  span: z.object({ from: z.string(), to: z.string() }),
  madeAt: z.string(),
  record: z.object({
    whole: z.boolean(),
    /** The first thing wrong; what comes after it isn't counted. */
    fault: z.object({ code: z.string(), seq: z.number(), detail: z.string() }).nullable(),
    /** How many receipts were read, of all times. */
    receipts: z.number(),
    head: z.object({ seq: z.number(), hash: z.string() }).nullable(),
    lastAt: z.string().nullable(),
    /** Who vouches for the key: a key that was given, the home's own, or nobody; absent where nobody was asked. */
    trusted: z.enum(["given", "local", "nobody"]).optional(),
  }),
  /** What waits for a person and was proposed in the span, by the store's word; null where there's only receipts. */
  unanswered: z.number().nullable(),
  figures: figuresSchema,
  notProved: z.array(z.string()),
});
export type Report = z.infer<typeof reportSchema>;
