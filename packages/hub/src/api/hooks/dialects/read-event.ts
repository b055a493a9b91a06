import { HubError } from "@countersign/core/errors";
import * as z from "zod";
import type { HookCall } from "../calls/index.ts";

/** Keeps the object as it is: a schema that copies members would lose `__proto__`. */
export const objectSchema = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

/** Explanatory text. An invalid one is dropped, because it must not prevent a decision. */
export const saidSchema = z.string().max(2048).optional().catch(undefined);
export const millisecondsSchema = z.int().positive().max(86_400_000).optional().catch(undefined);

export function momentOf(name: string, moments: ReadonlyMap<string, HookCall["moment"]>): HookCall["moment"] {
  const moment = moments.get(name);
  if (!moment) throw new HubError("INVALID_PARAMS", "hook_event_name: isn't one that Countersign answers");
  return moment;
}

/** Longest run of an agent's command. After an agent's timeout the command goes on in the background. */
export const AGENT_RUN_MS = 1_800_000;
