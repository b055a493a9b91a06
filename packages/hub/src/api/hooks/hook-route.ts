import type { Clock } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { AGENTS } from "@countersign/protocol/access";
import type { Context } from "hono";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { HttpVariables } from "../http/index.ts";
import { answerHook } from "./answer-hook.ts";

/** Deadline for a hook whose `timeout` in the settings is shorter than usual. It must be well below that. */
export const hookQuerySchema = z.object({
  deadlineMs: z.coerce.number().int().min(1).max(AGENTS["claude-code"].deadlineMs).optional(),
});

const eventSchema = z.record(z.string(), z.unknown());

/** Claude Code's HTTP hook: the body is the event, and the answer is what a hook command would have printed. */
export async function hookRoute(c: Context<HttpVariables>, hub: Hub, clock: Clock, body: unknown): Promise<Response> {
  const { deadlineMs = AGENTS["claude-code"].deadlineMs } = readOrRefuse(hookQuerySchema, c.req.query());
  const event = readOrRefuse(eventSchema, body);
  const { identity } = c.var;
  const question = { agent: "claude-code", event, identity, deadlineMs, gone: c.req.raw.signal } as const;
  const { stdout } = await answerHook(question, hub, clock);
  return c.body(stdout === "" ? "{}" : stdout, 200, { "content-type": "application/json" });
}
