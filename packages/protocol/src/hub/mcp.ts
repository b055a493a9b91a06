import * as z from "zod";
import { outcomeSchema, outsideIdSchema } from "../proposals/index.ts";

const MAX_NAME = 256;
const nameSchema = z.string().min(1).max(MAX_NAME);
const cwdSchema = z.string().max(4096).startsWith("/", "must be an absolute path");

/** `callTool`: one of our own tools, for an MCP client that this user started. */
export const callToolSchema = z.strictObject({
  tool: nameSchema,
  input: z.unknown(),
  session: outsideIdSchema,
  /** Where the client was started: the workspace, unless the configuration names one. */
  cwd: cwdSchema.optional(),
});
export type CallToolParams = z.infer<typeof callToolSchema>;

export const calledToolSchema = z.object({
  text: z.string(),
  isError: z.boolean(),
  outcome: outcomeSchema.optional(),
});
export type CalledTool = z.infer<typeof calledToolSchema>;

/** What a proposal that was made over the socket waits for. */
export const toolStageSchema = z.object({ stage: z.enum(["waiting", "running"]) });
export type ToolStage = z.infer<typeof toolStageSchema>["stage"];

/** What a server said of a tool, in canonical form; left out where it is too long to be shown. */
const seenToolSchema = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  text: z.string().max(65_536).optional(),
});
export type SeenTool = z.infer<typeof seenToolSchema>;

/** More than any server offers; keeps one from filling the store. */
const MAX_TOOLS = 4_096;
/** What a server said of one tool, at different times, since somebody last looked. */
const MAX_VERSIONS = 8;

/** `pinTools`: what a server offers. What is seen of it first is what it is held to from then on. */
export const pinToolsSchema = z.strictObject({
  server: nameSchema,
  tools: z.array(z.strictObject({ name: nameSchema, ...seenToolSchema.shape })).max(MAX_TOOLS),
});
export type PinToolsParams = z.infer<typeof pinToolsSchema>;

/** `proposeToolCall`: a call that a proxy holds until it is decided. The newest version is the last. */
export const proposeToolCallSchema = z.strictObject({
  server: nameSchema,
  tool: nameSchema,
  arguments: z.custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  ),
  seen: z.array(seenToolSchema).min(1).max(MAX_VERSIONS),
  session: outsideIdSchema,
  cwd: cwdSchema.optional(),
});
export type ProposeToolCallParams = z.infer<typeof proposeToolCallSchema>;

/** Either the permit, which is good for this one call and ends with its report, or why there is none. */
export const toolCallAnswerSchema = z.union([
  z.object({ permit: z.string() }),
  z.object({ outcome: outcomeSchema, words: z.string() }),
]);
export type ToolCallAnswer = z.infer<typeof toolCallAnswerSchema>;

/** `reportToolCall`: how a permitted call ended. */
export const reportToolCallSchema = z.strictObject({ permit: z.string().min(1).max(128), outcome: z.unknown() });
