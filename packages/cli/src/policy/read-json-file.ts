import { readFileSync, statSync } from "node:fs";
import { parseJson } from "@countersign/receipts";
import { CliError } from "../base/index.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** A file that the user named. */
export function readJsonFile(path: string): unknown {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error(`it isn't a file of at most ${MAX_BYTES} bytes`);
    return parseJson(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new CliError("FAILED", `${path} can't be read (${(cause as Error).message}).`, { cause });
  }
}
