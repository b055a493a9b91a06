import type * as z from "zod";
import { HubError } from "./hub-error.ts";

/** What came from outside, checked; or INVALID_PARAMS with the fields that are wrong. */
export function readOrRefuse<S extends z.ZodType>(schema: S, value: unknown, prefix = ""): z.infer<S> {
  const reading = schema.safeParse(value);
  if (reading.success) return reading.data;
  throw new HubError("INVALID_PARAMS", prefix + describeIssues(reading.error));
}

/** The first few problems, each with its field; `whole` names what was read where no field can be named. */
export function describeIssues(error: z.ZodError, whole = "body"): string {
  const problems = error.issues.map((issue) => `${issue.path.join(".") || whole}: ${issue.message}`);
  return problems.slice(0, 5).join("; ");
}
