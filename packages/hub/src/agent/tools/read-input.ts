import { describeIssues } from "@countersign/core/errors";
import type * as z from "zod";
import { ToolError } from "./tool-error.ts";

export function readInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const reading = schema.safeParse(input);
  if (reading.success) return reading.data;
  throw new ToolError("INVALID_INPUT", describeIssues(reading.error, "input"), { cause: reading.error });
}
