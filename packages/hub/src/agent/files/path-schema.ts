import * as z from "zod";

export const pathSchema = z.string().min(1).describe("Absolute, or relative to the workspace; inside it in any case");

/** Text that can be written so that the file has exactly these bytes. */
export const contentSchema = z
  .string()
  .refine((text) => !text.includes("\0"), "holds a NUL character, which no text file has")
  .refine((text) => text.isWellFormed(), "isn't valid Unicode");
