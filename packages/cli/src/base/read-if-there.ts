import { readFileSync } from "node:fs";
import { CliError } from "./cli-error.ts";

/** A file of the home's; undefined: there's none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CliError("FAILED", `${path} can't be read (${message}).`, { cause });
  }
}
