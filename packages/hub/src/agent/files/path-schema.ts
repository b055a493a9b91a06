import * as z from "zod";

export const pathSchema = z.string().min(1).describe("Absolute, or relative to the workspace; inside it in any case");

/** What is written must come out as the same bytes. */
export const contentSchema = z
  .string()
  .refine((text) => !text.includes("\0"), "holds a NUL character, which no text file has")
  .refine((text) => text.isWellFormed(), "isn't valid Unicode");
