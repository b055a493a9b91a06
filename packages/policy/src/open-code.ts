import { runsCode } from "./code-files.ts";
import { compilePattern, firstLiteral } from "./match-entry.ts";
import type { Entry } from "./profile.ts";
import { basename } from "./resolve-path.ts";

/** Whether an entry allows a program to run code in files, whatever has become of that code: people are told so. */
export function isOpenToCode({ pattern, code }: Pick<Entry, "pattern" | "code">): boolean {
  return code === undefined && runsCode(basename(firstLiteral(compilePattern(pattern)) ?? ""));
}
