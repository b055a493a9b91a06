import { basename, type Classification, type Part } from "../model/index.ts";
import {
  compilePattern,
  firstLiteral,
  isForSandboxes,
  isForToolCalls,
  literalWord,
  matchesAllowed,
  type Pattern,
} from "../patterns/index.ts";
import { type Circumstances, type Entry, holdCode, MAX_PATTERN_LENGTH, namesBoth } from "../profile/index.ts";
import { makeWrittenCeiling } from "./derive-ceiling.ts";
import { runsFirst, runsWords } from "./derive-pattern.ts";
import { findRefusal } from "./refuse-entry.ts";

interface Setting extends Pick<Circumstances, "enforcement" | "hashFile"> {
  readonly roots: readonly string[];
}

/** An entry with a pattern that a person wrote, held to what was seen of the parts that it fits; or why there can't be one. */
export function deriveForPattern(text: string, classification: Classification, setting: Setting): Entry | string {
  if (text.length > MAX_PATTERN_LENGTH) return "the pattern is too long";
  const pattern = compilePattern(text);
  const refusal = findRefusal(classification) ?? findTooWide(pattern);
  if (refusal !== undefined) return refusal;
  const parts = findMeant(pattern, classification.parts);
  if (parts.length === 0) return "the pattern fits nothing in the command";
  return holdCode({ pattern: text, ceiling: makeWrittenCeiling(parts, setting) }, parts, setting.hashFile);
}

/** The parts that it fits, and those that it names behind a wrapper. */
function findMeant(pattern: Pattern, parts: readonly Part[]): Part[] {
  return parts.filter((part) => {
    const outer = part.wrapper === undefined ? undefined : parts[part.wrapper];
    return matchesAllowed(pattern, part) || (outer !== undefined && namesBoth({ pattern }, outer, part));
  });
}

/** A pattern must say which program, and for one that runs others also which of them. */
export function findTooWide(pattern: Pattern): string | undefined {
  const name = firstLiteral(pattern);
  if (isForToolCalls(pattern)) {
    const whose = isForSandboxes(pattern) ? "the sandbox" : "the MCP server";
    return name === undefined ? `the pattern must name ${whose}` : undefined;
  }
  if (name === undefined) return "the pattern must begin with a program's name";
  const next = pattern[1] === undefined ? undefined : literalWord(pattern[1]);
  const open = pattern.slice(1).every((word) => literalWord(word) === undefined);
  if (runsFirst(basename(name)) && (next === undefined || next.startsWith("-")))
    return `the pattern would cover whatever ${name} runs`;
  return runsWords(basename(name)) && open ? `the pattern would cover whatever ${name} runs` : undefined;
}
