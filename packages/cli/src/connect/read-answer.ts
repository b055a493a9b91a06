import { CliError } from "../base/index.ts";

/** The part of a zod schema that reading an answer needs. */
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

/** Nothing that a hub says is used before it was checked: something else may answer at that address. */
export function readAnswer<T>(value: unknown, schema: Schema<T>): T {
  const reading = schema.safeParse(value);
  if (reading.success) return reading.data;
  throw badAnswer();
}

export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badAnswer(cause);
  }
}

function badAnswer(cause?: unknown): CliError {
  const message =
    "What answered isn't a hub of this version. Check the address, and that hub and CLI are of one version.";
  return new CliError("BAD_ANSWER", message, { cause });
}

/** For calls whose answer says only that they were taken. */
export const anything: Schema<unknown> = { safeParse: (data) => ({ success: true, data }) };
