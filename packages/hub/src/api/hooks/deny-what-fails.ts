import { problemSchema } from "@countersign/protocol/proposals";
import type { MiddlewareHandler } from "hono";
import * as z from "zod";

const failureSchema = z.object({ error: problemSchema });
const namedSchema = z.looseObject({ hook_event_name: z.string() });

/**
 * Answers every failure (such as a wrong token, a large body or an error of the hub) with 200 and a denial. Claude Code
 * ignores a hook with another status and continues.
 */
export function denyWhatFails(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (c.res.ok) return;
    const failure = failureSchema.safeParse(await c.res.json().catch(() => undefined));
    const code = failure.data?.error.code;
    const why = failure.data?.error.message ?? "the hub failed";
    // A body that was too large isn't read for the event's name.
    const event = namedSchema.safeParse(code === "LIMIT" ? undefined : await c.req.json().catch(() => undefined));
    c.res = undefined;
    c.res = c.json(denial(event.data?.hook_event_name, `Countersign couldn't decide, so this isn't allowed: ${why}`));
  };
}

/**
 * Returns a denial in the form of the event. An event that is over can't be denied; an unknown one is blocked in every
 * form.
 */
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
