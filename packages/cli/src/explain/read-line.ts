import { describeProblems } from "@countersign/policy";
import { parseJson } from "@countersign/receipts";
import * as z from "zod";

const MAX_FILES = 1_000;
const pathSchema = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes("\0"), "holds a NUL");

/** content: what stands in it. link: it is a link that leads there. Neither: it is there, and what it holds isn't known. */
const fileSchema = z
  .strictObject({ path: pathSchema, content: z.string().optional(), link: pathSchema.optional() })
  .refine(({ content, link }) => content === undefined || link === undefined, "has both content and link");

/** What one line of `explain --batch` says. Keys that resemble none of these are somebody else's, and ignored. */
const lineSchema = z.looseObject({
  cmd: z.string(),
  cwd: pathSchema.startsWith("/", "must be an absolute path").optional(),
  jail: z.enum(["enforced", "none"]).optional(),
  files: z
    .array(z.union([pathSchema, fileSchema]))
    .max(MAX_FILES)
    .optional(),
});

export type AssumedFile = z.infer<typeof fileSchema>;

export interface BatchLine extends Pick<z.infer<typeof lineSchema>, "cmd" | "cwd" | "jail"> {
  readonly files?: readonly AssumedFile[];
}

export type LineReading = { readonly line: BatchLine } | { readonly problem: string };

const UTF8 = new TextDecoder("utf-8", { fatal: true });
const NO_LINE = 'isn\'t {"cmd": "…"}';

export function readLine(bytes: Buffer): LineReading {
  const value = parse(bytes);
  if (typeof Object(value).cmd !== "string") return { problem: NO_LINE };
  const reading = lineSchema.safeParse(value);
  const problems = describeProblems(lineSchema, value, reading.error);
  if (!reading.success || problems.length > 0) return { problem: problems.slice(0, 5).join("; ") };
  const { cmd, cwd, jail, files } = reading.data;
  return {
    line: {
      cmd,
      ...(cwd === undefined ? {} : { cwd }),
      ...(jail === undefined ? {} : { jail }),
      ...(files === undefined
        ? {}
        : { files: files.map((file) => (typeof file === "string" ? { path: file } : file)) }),
    },
  };
}

/** Undefined for what isn't JSON in UTF-8. */
function parse(bytes: Buffer): unknown {
  try {
    return parseJson(UTF8.decode(bytes));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}
