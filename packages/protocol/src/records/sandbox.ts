import { UNEXPLAINED_REASONS } from "@countersign/vocabulary";
import * as z from "zod";
import { MAX_RECEIPTS_PAGE } from "./receipt.ts";

/** As in a certificate's `urn:opensandbox:<id>`, and in `binding.sandbox_id`. */
export const sandboxIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "isn't a sandbox's id");

const chainRefSchema = z.object({ chain_id: z.string(), sequence: z.number(), receipt_hash: z.string() });

/** What is on record about a sandbox: counts of its receipts, whatever they are worth. */
export const sandboxViewSchema = z.object({
  id: z.string(),
  receipts: z.number(),
  /** Numbers in the ledger. */
  firstSeq: z.number(),
  lastSeq: z.number(),
  firstAtMs: z.number(),
  lastAtMs: z.number(),
  /** By the action's type, the most frequent first. */
  actions: z.array(z.object({ type: z.string(), count: z.number() })),
  /** What its story has: as many as receipts, but for flows of which several tell. */
  steps: z.number(),
  /** Frames of the proxy's that were emitted and never came. */
  dropped: z.number(),
  /** What was seen of its network from the host. */
  outside: z.object({
    flows: z.number(),
    /** Of those, the ones that were over and had been kept from leaving. */
    blocked: z.number(),
    /** How often nobody looked for a while. */
    gaps: z.number(),
    /** Frames of the observer's that never came. */
    dropped: z.number(),
  }),
  /** Terminals that were opened and of whose end nothing is on record: they are open, or that went lost. No more than 10,000 are counted. */
  incompleteSessions: z.number(),
  /** Its chains in their order: another begins when the key that signs is changed. */
  chains: z.array(z.string()),
});
export type SandboxView = z.infer<typeof sandboxViewSchema>;

export const listSandboxesParamsSchema = z.strictObject({
  /** Those that began before this one: the `next` of the page before. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_RECEIPTS_PAGE).default(100),
});
export type ListSandboxesParams = z.infer<typeof listSandboxesParamsSchema>;

export const listSandboxesResultSchema = z.object({
  /** Those that began last first. */
  sandboxes: z.array(sandboxViewSchema),
  /** Absent on the last page. */
  next: z.number().optional(),
});

/** A receipt as it stands in a sandbox's story. What it doesn't say is null. */
const stepSchema = z.object({
  /** In the story, from 1, without gaps. */
  place: z.number(),
  /** When it was recorded, by the recorder's clock. */
  at: z.string(),
  /** When it began, as its emitter says by its own clock; never later than it was recorded. Steps stand in this order. */
  happenedAt: z.string(),
  /** When the emitter told it, by its own clock: of a call, when that was over. */
  emittedAt: z.string().nullable(),
  seq: z.number(),
  hash: z.string(),
  chainId: z.string(),
  sequence: z.number(),
  risk: z.string(),
  /**
   * How much the recorder knows of it: `sandbox-asserted` is the word of whoever is root in the sandbox, `host-observed` of who watches it from the
   * host.
   */
  attestation: z.string().nullable(),
  /** `execd`: by the proxy in the sandbox; `ingress_egress`: from outside of it. */
  placement: z.string().nullable(),
});

const actionStepSchema = stepSchema.extend({
  kind: z.literal("action"),
  type: z.string(),
  /** What was called: `POST /command`. */
  route: z.string().nullable(),
  status: z.string(),
  /** Whether a gate kept it from execd: then nothing was done. */
  denied: z.boolean(),
  error: z.string().nullable(),
  parametersHash: z.string().nullable(),
  responseHash: z.string().nullable(),
  correlation: z.string().nullable(),
  /** Whether what was denied could have happened all the same. */
  enforcement: z.string().nullable(),
  /** What the emitter says that it can't see. */
  limits: z.array(z.string()),
  /** Of a terminal: the receipt of its other end, by its number; null: there's none. */
  terminal: z.object({ other: z.number().nullable() }).nullable(),
});

/** Frames that were emitted and never came, since the last of the same placement that did. */
const gapStepSchema = stepSchema.extend({ kind: z.literal("gap"), dropped: z.number() });

/**
 * What of the record from inside was under way when a flow began, give or take a second. That something was isn't proof that it sent; that nothing
 * was isn't proof of guilt: what a command leaves running sends later, and a call that still runs is told when it ends.
 */
const explanationSchema = z.discriminatedUnion("kind", [
  /** Calls or terminals: so many that overlap, the first by its receipt's number. */
  z.object({ kind: z.literal("call"), seq: z.number(), receipts: z.number() }),
  /** One of whose end nothing is on record. */
  z.object({ kind: z.literal("terminal"), seq: z.number() }),
  /** The observer knows where it leads: to where the proxy delivers what it records. */
  z.object({ kind: z.literal("relay") }),
  z.object({
    kind: z.literal("none"),
    reason: z.enum(UNEXPLAINED_REASONS),
  }),
]);

/** A flow out of the sandbox, by all receipts of it: the last says how it stands. */
const flowStepSchema = stepSchema.extend({
  kind: z.literal("flow"),
  type: z.string(),
  address: z.string(),
  /** 0 where the protocol has none. */
  port: z.number(),
  protocol: z.string(),
  /** What the sandbox itself had this address from; null: nothing it was seen to ask. */
  name: z.string().nullable(),
  bytesOut: z.number(),
  blocked: z.boolean(),
  /** Null: it wasn't over when it was last told. */
  endedAt: z.string().nullable(),
  /** How many tell of it; `firstSeq` is the first one's number, `seq` the last one's. */
  receipts: z.number(),
  firstSeq: z.number(),
  explained: explanationSchema,
  parametersHash: z.string().nullable(),
  responseHash: z.string().nullable(),
  correlation: z.string().nullable(),
  enforcement: z.string().nullable(),
  limits: z.array(z.string()),
});

/** Nobody looked at what left the sandbox, or not at all of it; how much that was isn't known. */
const unwatchedStepSchema = stepSchema.extend({
  kind: z.literal("unwatched"),
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  /** Whether what blocks flows `stayed` in force meanwhile, or was `gone`. */
  rules: z.string().nullable(),
  limits: z.array(z.string()),
});

export const sandboxStepSchema = z.discriminatedUnion("kind", [
  actionStepSchema,
  gapStepSchema,
  flowStepSchema,
  unwatchedStepSchema,
]);
export type SandboxStep = z.infer<typeof sandboxStepSchema>;

export const sandboxStoryParamsSchema = z.strictObject({
  id: sandboxIdSchema,
  /** Those behind this place in the story, which counts from 1. */
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_RECEIPTS_PAGE).default(100),
});
export type SandboxStoryParams = z.infer<typeof sandboxStoryParamsSchema>;

/** Answer of `GET /api/v1/sandboxes/:id/story`. Nothing is verified for it: that is what `receipts verify` does. */
export const sandboxStorySchema = z.object({
  sandbox: sandboxViewSchema,
  /** Where the root chain stood when the sandbox's began. */
  parentChainRef: chainRefSchema.nullable(),
  /** Of its newest 5,000 flows, how many nothing from inside explains. */
  unexplained: z.number(),
  /** In the order in which they began, then in the ledger's. What is recorded late still stands where it began, so that places may move. */
  steps: z.array(sandboxStepSchema),
  /** `after` of the next page; absent on the last. */
  next: z.number().optional(),
});
export type SandboxStory = z.infer<typeof sandboxStorySchema>;
