import { SANDBOX_CHANGES } from "@countersign/vocabulary";
import * as z from "zod";
import { outcomeSchema } from "../proposals/index.ts";
import { sandboxIdSchema } from "./sandbox.ts";

/** Paths and programs of a sandbox: nothing of it is looked up on the hub's machine. */
const pathSchema = z.string().max(4_096);
/** More than is ever shown: what is longer nobody could decide about. */
const textSchema = z.string().max(65_536);
const nameSchema = z.string().max(256);
/** What an isolated session was made with, in words: modes, binds, a user's number. */
const madeSchema = z.string().max(16_384);
/** Of a user or a group. */
const idSchema = z.int().min(0).max(0xffff_ffff);
const MAX_CHANGES = 1_024;
const MAX_SECONDS = 86_400;

const changeSchema = z.strictObject({
  change: z.enum(SANDBOX_CHANGES),
  path: pathSchema,
  /** Where it goes, its mode, owner and group, what stands there for what, the hash of what is written. */
  details: z.record(z.string().regex(/^[a-z0-9_]{1,32}$/), z.union([pathSchema, z.number()])),
});

/** What execd is asked to do. */
export const sandboxActSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    /** `session`: in a shell that has a state, which earlier commands may have changed. */
    kind: z.enum(["command", "session"]),
    command: textSchema,
    /** Its words are given to the program as they are, with no shell between. */
    argv: z.literal(true).optional(),
    cwd: pathSchema.optional(),
    env: z.record(nameSchema, textSchema).optional(),
    session: nameSchema.optional(),
    /** Instead of a plain one: a session with files of its own. */
    isolated: nameSchema.optional(),
    /** The directory that the session began in. */
    from: pathSchema.optional(),
    made: madeSchema.optional(),
    background: z.boolean().optional(),
    /** After which execd ends it. */
    timeoutMs: z.int().min(0).optional(),
    /** As whom, where the call says so. */
    uid: idSchema.optional(),
    gid: idSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal("code"),
    code: textSchema,
    language: nameSchema,
    /** What the call says it is, where that isn't what runs. */
    named: nameSchema.optional(),
    context: nameSchema.optional(),
    cwd: pathSchema.optional(),
    from: pathSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal("files"),
    /** Whose files they are, where those aren't the sandbox's own. */
    isolated: nameSchema.optional(),
    /** The directory that the session began in: a path that isn't absolute is one in it. */
    from: pathSchema.optional(),
    made: madeSchema.optional(),
    changes: z.array(changeSchema).min(1).max(MAX_CHANGES),
  }),
  z.strictObject({
    kind: z.literal("terminal"),
    /** After which it is closed. */
    seconds: z.int().min(1).max(MAX_SECONDS),
    command: textSchema.optional(),
    cwd: pathSchema.optional(),
  }),
]);
export type WireSandboxAct = z.infer<typeof sandboxActSchema>;

/** `proposeSandboxCall`: what a gate in front of a sandbox's execd holds until it is decided. */
export const proposeSandboxCallSchema = z.strictObject({
  id: sandboxIdSchema,
  act: sandboxActSchema,
  /** Whether what runs in the sandbox can go round the gate; the gate's own word. */
  enforcement: z.enum(["enforced", "advisory"]),
  /** How long the gate waits; a person has no longer. */
  patienceMs: z.int().min(1).max(86_400_000).optional(),
  /** How long what is permitted may take; when it is over and nothing was reported, nobody knows how it ended. */
  runTimeoutMs: z.int().min(1).max(86_400_000).optional(),
});
export type ProposeSandboxCallParams = z.infer<typeof proposeSandboxCallSchema>;

/** Either the permit, which is good for this one call and ends with its report, or why there is none, in words for the agent. */
export const sandboxCallAnswerSchema = z.union([
  z.object({ permit: z.string() }),
  z.object({ outcome: outcomeSchema, words: z.string() }),
]);
export type SandboxCallAnswer = z.infer<typeof sandboxCallAnswerSchema>;

/** `reportSandboxCall`: how a permitted call ended. */
export const reportSandboxCallSchema = z.strictObject({
  id: sandboxIdSchema,
  permit: z.string().min(1).max(128),
  outcome: z.unknown(),
});
