import { isIP } from "node:net";
import { describeIssues } from "@countersign/core/errors";
import { OBSERVER_GAPS } from "@countersign/vocabulary";
import * as z from "zod";
import { type Frame, timeSchema } from "./frame.ts";
import { FrameError } from "./frame-error.ts";

const LONGEST_LIMIT = 1_024;
const MOST_LIMITS = 64;
/** It may name members, which are as long as a frame can be. */
const LONGEST_REASON = 500;

const address = z
  .string()
  .max(45)
  // A zone is a name of the host's, and upper case would be another hash of the same address.
  .refine((text) => /^[0-9a-f.:]+$/.test(text) && isIP(text) !== 0, "isn't an IP literal in lower case");
const name = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/, "isn't a DNS name");

const where = {
  dst_addr: address,
  dst_port: z.int().min(0).max(65_535),
  protocol: z.string().regex(/^[a-z0-9-]{1,16}$/),
};
const what = { bytes_out: z.int().min(0), verdict: z.enum(["allowed", "blocked"]) };

const flow = z
  .strictObject({
    ...where,
    ...what,
    started_at: timeSchema,
    ended_at: timeSchema.optional(),
    part: z.enum(["interim", "final"]),
    name: name.optional(),
    service: z.literal("relay").optional(),
  })
  .refine(({ part, ended_at }) => (part === "final") === (ended_at !== undefined), "ended_at: in the final part alone")
  .refine(({ started_at, ended_at }) => isInOrder(started_at, ended_at ?? started_at), "ends before it starts");

const gap = z
  .strictObject({
    ...{ from: timeSchema, to: timeSchema, reason: z.enum(OBSERVER_GAPS) },
    rules: z.enum(["stayed", "gone"]).optional(),
  })
  .refine(({ from, to }) => isInOrder(from, to), "ends before it starts");

const seen = {
  ...{ sandbox_id: z.string(), endpoint: z.literal("/network") },
  ...{ route: z.literal("egress"), placement: z.literal("ingress_egress") },
};

const common = {
  tool: z.strictObject({ name: z.literal("network.egress"), server: z.enum(["conntrack", "nftables"]) }),
  error: z.undefined().optional(),
  idempotency_key: z.string(),
  coverage: z.strictObject({
    covers: exactly("network_egress"),
    excludes: exactly("command", "code", "files", "directories", "pty"),
    placement: z.literal("ingress_egress"),
    limits: z.array(z.string().max(LONGEST_LIMIT)).max(MOST_LIMITS),
  }),
  // A rule of the host's holds, or there's none: nothing in a sandbox can go round it.
  enforcement: z.enum(["enforced", "none"]),
};

const flowFrame = z
  .looseObject({
    ...common,
    decision: z.enum(["allowed", "denied"]),
    input: z.strictObject(where),
    output: z.strictObject(what),
    correlation_id: z.string(),
    binding: z.strictObject({ ...seen, flow }),
  })
  .refine(
    ({ decision, output }) => (decision === "denied") === (output.verdict === "blocked"),
    "decision: isn't the verdict's",
  )
  .refine(
    ({ input, output, binding }) => saysAll(binding.flow, { ...input, ...output }),
    "binding.flow: isn't what input and output say",
  );

const gapFrame = z
  .looseObject({
    ...common,
    ...{
      decision: z.literal("allowed"),
      input: z.strictObject({ from: z.string(), to: z.string(), reason: z.string() }),
    },
    ...{
      output: z.undefined().optional(),
      correlation_id: z.undefined().optional(),
      binding: z.strictObject({ ...seen, gap }),
    },
  })
  .refine(({ input, binding }) => saysAll(binding.gap, input), "binding.gap: isn't what input says");

/** What each type that an observer of the network may say must look like: the readable form is the one that was hashed. */
const FORMS = { "network.egress.observed": flowFrame, "dev.countersign.egress.gap": gapFrame } as const;
export type EgressType = keyof typeof FORMS;

export function isEgressType(actionType: string): actionType is EgressType {
  return Object.hasOwn(FORMS, actionType);
}

/** Throws FrameError. That a flow was as it says isn't known here. */
export function checkEgress(frame: Frame, actionType: EgressType): void {
  const reading = FORMS[actionType].safeParse(frame);
  if (!reading.success)
    throw new FrameError("INVALID_FRAME", describeIssues(reading.error, "frame").slice(0, LONGEST_REASON));
  if (frame.session_id !== frame.binding?.sandbox_id)
    throw new FrameError("INVALID_FRAME", "session_id: isn't the sandbox's id");
}

/** What is told from inside never looks as if it had been seen from outside. Throws FrameError. */
export function checkNotEgress({ binding, coverage }: Frame): void {
  const isOutside = [binding, coverage].some((object) => object?.placement === "ingress_egress");
  if (isOutside || binding?.flow !== undefined || binding?.gap !== undefined)
    throw new FrameError("ROLE_MISMATCH", "binding: only who watches from outside says what was seen there");
}

function saysAll(readable: object, hashed: object): boolean {
  const said = new Map(Object.entries(readable));
  return Object.entries(hashed).every(([key, value]) => said.get(key) === value);
}

function isInOrder(from: string, to: string): boolean {
  return Date.parse(from) <= Date.parse(to);
}

function exactly(...words: readonly string[]) {
  return z.array(z.string()).refine((found) => found.join("\0") === words.join("\0"), `is ${words.join(", ")}`);
}
