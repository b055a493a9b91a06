import * as z from "zod";
import { endSchema, outsideIdSchema } from "../proposals/index.ts";

/** Characters of one message to an agent. */
export const MAX_CHAT_MESSAGE = 32_000;
const MAX_HISTORY = 1_000;
const MAX_CHATS = 1_000;

const agentNameSchema = z.string().min(1).max(128);
const messageText = z
  .string()
  .max(MAX_CHAT_MESSAGE, `is longer than ${MAX_CHAT_MESSAGE} characters`)
  .refine((text) => text.trim() !== "", "is empty")
  .refine((text) => text.isWellFormed(), "isn't valid Unicode");

export const createSessionParamsSchema = z.strictObject({
  sessionKey: outsideIdSchema.optional(),
  /** Which of the configured agents answers in it; the built-in one by default. */
  agent: agentNameSchema.optional(),
});
export const chatSendParamsSchema = z.strictObject({ sessionKey: outsideIdSchema, message: messageText });
export const chatAbortParamsSchema = z.strictObject({
  sessionKey: outsideIdSchema,
  /** Only if it is this one that runs. */
  runId: z.string().max(128).optional(),
});
export const chatHistoryParamsSchema = z.strictObject({
  sessionKey: outsideIdSchema,
  /** Those before this number; the newest without it. */
  before: z.int().min(1).optional(),
  limit: z.int().min(1).max(MAX_HISTORY).default(100),
});
export const chatResumeParamsSchema = z.strictObject({
  sessionKey: outsideIdSchema,
  /** From an earlier answer: whose numbers they are. */
  stream: z.string().max(128).optional(),
  /** The number of the last event that somebody has. */
  after: z.int().min(0).optional(),
});

export const chatListParamsSchema = z.strictObject({ limit: z.int().min(1).max(MAX_CHATS).default(100) });
/** A session in which an agent of the hub's answers. */
export const chatViewSchema = z.object({
  sessionKey: z.string(),
  /** Which one. */
  agent: z.string(),
  createdAtMs: z.number(),
  /** When something was last said, or it was begun. */
  lastAtMs: z.number(),
  /** How the first message begins; absent before there is one. */
  title: z.string().optional(),
  /** What runs now. */
  runId: z.string().optional(),
});
export type ChatView = z.infer<typeof chatViewSchema>;
export const chatListSchema = z.object({ chats: z.array(chatViewSchema) });

/** Answers to `sessions.create` (and, with more, `sessions.get`), and to `chat.send`. */
export const sessionKeySchema = z.object({ sessionKey: z.string() });
export const chatSentSchema = z.object({ runId: z.string() });
/** What RPC's `exec.approval_request` has at least. */
export const approvalAskedSchema = z.object({ approvalId: z.string(), command: z.string(), sessionKey: z.string() });

/** Tokens, summed over the turns of a run. */
export const chatUsageSchema = z.object({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() });
export type ChatUsage = z.infer<typeof chatUsageSchema>;

/**
 * Why a run ended without an answer. MODEL_REFUSED: the provider takes no such request (a wrong
 * key, an unknown model). MODEL_RATE_LIMITED, MODEL_FAILED, MODEL_UNREACHABLE, MODEL_TIMED_OUT, MODEL_CUT: send again later.
 * MODEL_BAD_ANSWER: not a model's answer. TURN_LIMIT: it used tools until it was stopped; send again to go on. LIMIT: it said
 * too much. INTERNAL: ours.
 */
export const chatProblemCodeSchema = z.enum([
  "MODEL_REFUSED",
  "MODEL_RATE_LIMITED",
  "MODEL_FAILED",
  "MODEL_UNREACHABLE",
  "MODEL_TIMED_OUT",
  "MODEL_CUT",
  "MODEL_BAD_ANSWER",
  "TURN_LIMIT",
  "LIMIT",
  "INTERNAL",
]);
export type ChatProblemCode = z.infer<typeof chatProblemCodeSchema>;
export const chatProblemSchema = z.object({ code: chatProblemCodeSchema, message: z.string() });

/** `calls`: it goes on with the tools' answers. `length`: the model ran out of room. `filtered`: its provider held it back. */
export const chatStopSchema = z.enum(["stop", "calls", "length", "filtered", "aborted", "failed"]);
export type ChatStop = z.infer<typeof chatStopSchema>;

export const chatCallSchema = z.object({ callId: z.string(), tool: z.string(), input: z.unknown() });

/** One entry of a transcript, as it is kept: secrets redacted. */
export const chatBodySchema = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), text: z.string(), by: z.string() }),
  z.object({
    role: z.literal("assistant"),
    text: z.string(),
    calls: z.array(chatCallSchema),
    stop: chatStopSchema,
    /** Of the whole run, on its last entry. */
    usage: chatUsageSchema.optional(),
    problem: chatProblemSchema.optional(),
  }),
  z.object({
    role: z.literal("tool"),
    callId: z.string(),
    tool: z.string(),
    /** As the model was told it. */
    text: z.string(),
    /** How the last command that it proposed ended, if it proposed one. */
    outcome: endSchema.optional(),
  }),
]);
export type ChatBody = z.infer<typeof chatBodySchema>;

const placed = { seq: z.number(), runId: z.string(), atMs: z.number() };
export type ChatEntry = ChatBody & { readonly seq: number; readonly runId: string; readonly atMs: number };
/** A row that something has spoilt costs that row. */
export type UnreadableEntry = { readonly role: "unreadable"; readonly seq: number };

const entrySchema = z.union([
  z.intersection(chatBodySchema, z.object(placed)),
  z.object({ role: z.literal("unreadable"), seq: z.number() }),
]);
export const chatHistorySchema = z.object({
  /** Oldest first. */
  messages: z.array(entrySchema),
  /** Ask with `before` for those before these. */
  next: z.number().optional(),
  /** What runs now. */
  runId: z.string().optional(),
});
export type ChatHistory = z.infer<typeof chatHistorySchema>;

const inRun = { sessionKey: z.string(), runId: z.string(), seq: z.number() };
/** Events of a session, in the order of `seq`. `chat.final` or `chat.error`, one of them, is a run's last. */
export const chatEventSchema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("chat.user"), data: z.object({ ...inRun, text: z.string(), by: z.string() }) }),
  z.object({ event: z.literal("chat.delta"), data: z.object({ ...inRun, text: z.string() }) }),
  z.object({ event: z.literal("chat.tool_call"), data: z.object({ ...inRun, ...chatCallSchema.shape }) }),
  /** A tool proposed a command: `exec.follow` shows what it writes. */
  z.object({
    event: z.literal("chat.proposed"),
    data: z.object({ ...inRun, callId: z.string(), proposalId: z.string() }),
  }),
  z.object({
    event: z.literal("chat.tool_result"),
    data: z.object({
      ...inRun,
      callId: z.string(),
      tool: z.string(),
      text: z.string(),
      outcome: endSchema.optional(),
    }),
  }),
  z.object({
    event: z.literal("chat.final"),
    data: z.object({ ...inRun, usage: chatUsageSchema, stop: chatStopSchema }),
  }),
  z.object({
    event: z.literal("chat.error"),
    data: z.object({ ...inRun, usage: chatUsageSchema, ...chatProblemSchema.shape }),
  }),
]);
export type ChatEvent = z.infer<typeof chatEventSchema>;

export const chatResumedSchema = z.object({
  stream: z.string(),
  /** The newest event's number; later ones are sent as they come. */
  seq: z.number(),
  /** Whether `events` are all since `after`. Otherwise read `chat.history` first. */
  complete: z.boolean(),
  events: z.array(chatEventSchema),
  /** What runs now. */
  runId: z.string().optional(),
});
export type ChatResumed = z.infer<typeof chatResumedSchema>;

/** An agent that can be talked to. */
export const agentViewSchema = z.object({
  name: z.string(),
  /** `provider/model`. */
  model: z.string(),
  profile: z.string(),
  workspace: z.string(),
  tools: z.array(z.string()),
  /** Never waits for a person. */
  unattended: z.boolean(),
});
export type AgentView = z.infer<typeof agentViewSchema>;
