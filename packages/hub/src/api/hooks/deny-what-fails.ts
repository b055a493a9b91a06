import { problemSchema } from "@countersign/protocol/proposals";
import type { MiddlewareHandler } from "hono";
import * as z from "zod";

const failureSchema = z.object({ error: problemSchema });
const namedSchema = z.looseObject({ hook_event_name: z.string() });

/**
 * Claude Code takes every status but 2xx for a hook that didn't work, and goes on. So whatever fails (a wrong token, a body that is too
 * large, the hub itself) is answered with 200 and a denial.
 */
export function denyWhatFails(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (c.res.ok) return;
    const failure = failureSchema.safeParse(await c.res.json().catch(() => undefined));
    const code = failure.data?.error.code;
    const why = failure.data?.error.message ?? "the hub failed";
    // What was too much to read isn't read for its name either.
    const event = namedSchema.safeParse(code === "LIMIT" ? undefined : await c.req.json().catch(() => undefined));
    c.res = undefined;
    c.res = c.json(denial(event.data?.hook_event_name, `Countersign couldn't decide, so this isn't allowed: ${why}`));
  };
}

/** Of what is over, nothing can be denied. What isn't known is blocked in every way that there is. */
function denial(eventName: string | undefined, words: string): object {
  const denied = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: words };
  switch (eventName) {
    case "PreToolUse":
      return { hookSpecificOutput: denied };
    case "PermissionRequest":
      return { hookSpecificOutput: { hookEventName: eventName, decision: { behavior: "deny", message: words } } };
    case "PostToolUse":
    case "PostToolUseFailure":
    case "PermissionDenied":
      return {};
    case undefined:
      return { decision: "block", reason: words, hookSpecificOutput: denied };
    default:
      return { decision: "block", reason: words };
  }
}
