import { basename } from "../model/index.ts";
import { compilePattern, firstLiteral } from "../patterns/index.ts";
import { runsCode } from "../programs/index.ts";
import type { Entry } from "./profile.ts";

/** Whether an entry allows a program to run code in files, whatever has become of that code: people are told so. */
export function isOpenToCode({ pattern, code }: Pick<Entry, "pattern" | "code">): boolean {
  return code === undefined && runsCode(basename(firstLiteral(compilePattern(pattern)) ?? ""));
}
