import * as z from "zod";
import { deciderSchema, outcomeKindSchema, riskLevelSchema } from "../proposals/index.ts";
import { policyChangeSchema } from "./policy-edit.ts";

/** How something ended, as people look for it: exiting has two ways. */
export const historyResultSchema = z.enum([
  "succeeded",
  "failed",
  ...outcomeKindSchema.options.filter((kind) => kind !== "exited"),
]);
export type HistoryResult = z.infer<typeof historyResultSchema>;

export const MAX_SEARCH_WORDS = 8;
const nameSchema = z.string().min(1).max(1_024);
const placeSchema = z.coerce.number().int().min(0);

/** Several, with commas between them. */
function listOf<T extends string>(one: z.ZodType<T, T>) {
  return z
    .string()
    .max(512)
    .transform((text) => text.split(",") as T[])
    .pipe(z.array(one).max(16));
}

/** Query of `GET /api/v1/history`. What isn't said holds for all. */
export const historyParamsSchema = z.strictObject({
  /** Words that the command has, each anywhere and in any case; `"in quotes"` with its spaces. */
  text: z
    .string()
    .max(256)
    .refine((text) => searchWords(text).length <= MAX_SEARCH_WORDS, `has more than ${MAX_SEARCH_WORDS} words`)
    .optional(),
  agent: nameSchema.optional(),
  session: nameSchema.optional(),
  /** Run in it, or below it. */
  directory: nameSchema.optional(),
  by: listOf(deciderSchema).optional(),
  risk: listOf(riskLevelSchema).optional(),
  result: listOf(historyResultSchema).optional(),
  fromMs: z.coerce.number().int().optional(),
  toMs: z.coerce.number().int().optional(),
  /** Only older ones than this place: the `next` of the page before. */
  before: placeSchema.optional(),
  /** Only newer ones than this place. */
  after: placeSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type HistoryParams = z.infer<typeof historyParamsSchema>;

/** The words of what somebody typed. */
export function searchWords(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"?|([^\s"]+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** A proposal that has ended. Everything in it that somebody wrote is redacted. */
export const historyRowSchema = z.object({
  place: z.number(),
  /** By which its story is told. */
  key: z.string(),
  session: z.string(),
  agent: z.string(),
  /** Its beginning, where it is longer than this. */
  command: z.string(),
  commandLength: z.number(),
  cwd: z.string(),
  repository: z.string().nullable(),
  proposedAtMs: z.number(),
  endedAtMs: z.number(),
  result: z.string(),
  exitCode: z.number().nullable(),
  reason: z.string().nullable(),
  by: z.string().nullable(),
  person: z.string().nullable(),
  risk: z.string().nullable(),
  asked: z.boolean(),
});
export type HistoryRowView = z.infer<typeof historyRowSchema>;

/** Newest first. A page may be short, or empty, and have a `next`: a hub looks through so much at once. */
export const historyPageSchema = z.object({
  rows: z.array(historyRowSchema),
  next: z.number().nullable(),
  /** The newest place of all, whatever was looked for. */
  newest: z.number(),
});
export type HistoryPageView = z.infer<typeof historyPageSchema>;

/** Query of `GET /api/v1/today`. Without a time, since midnight of the hub's clock. */
export const todayParamsSchema = z.strictObject({ fromMs: z.coerce.number().int().optional() });

const toldSchema = z.object({ names: z.array(z.string()), count: z.number() });
const countsShape = {
  ran: z.number(),
  /** All but exit code 0, and what couldn't be started. */
  failed: z.number(),
  /** People were asked about; also what waits or runs still, which no other count has. */
  asked: z.number(),
  denied: z.number(),
  expired: z.number(),
  cancelled: z.number(),
  /** For answers of people. */
  waitedMs: z.number(),
};

/** What each agent did in each repository, or outside of any in each directory; the most first. */
export const todaySchema = z.object({
  fromMs: z.number(),
  totals: z.object(countsShape),
  groups: z.array(
    z.object({
      agent: z.string(),
      directory: z.string(),
      ...countsShape,
      /** Of what ran: hosts that it was predicted to reach (`any`: one that isn't named), files outside of its workspace that it was predicted to change. */
      hosts: toldSchema,
      outside: toldSchema,
    }),
  ),
  newest: z.number(),
  /** False: there is more than is counted; what is older is left out. */
  isWhole: z.boolean(),
});
export type Today = z.infer<typeof todaySchema>;

/** Query of `GET /api/v1/suggestions`. */
export const suggestionsParamsSchema = z.strictObject({
  days: z.coerce.number().int().min(1).max(365).default(30),
});

/** `profile` and `change` are what `POST /api/v1/policy/edit` takes, of a person who wants it. Nothing is applied by itself. */
export const suggestionSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("allow"),
    profile: z.string(),
    command: z.string(),
    directory: z.string(),
    allowed: z.number(),
    sessions: z.number(),
    change: policyChangeSchema,
  }),
  z.object({
    kind: z.literal("remove"),
    profile: z.string(),
    id: z.string(),
    pattern: z.string(),
    why: z.string(),
    instead: z.array(z.string()).optional(),
    change: policyChangeSchema,
  }),
]);
export type SuggestionView = z.infer<typeof suggestionSchema>;
export const suggestionsSchema = z.object({ suggestions: z.array(suggestionSchema) });
