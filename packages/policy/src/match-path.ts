import { type Glob, matchGlob } from "./match-glob.ts";
import type { PathRule } from "./tables/paths.ts";

export type CompiledPathRules = readonly CompiledRule[];

interface CompiledRule {
  readonly names: readonly Glob[];
  readonly fromHome: boolean;
  readonly anyDepthBefore: boolean;
  readonly anyDepthAfter: boolean;
  readonly except: readonly Glob[];
}

const OTHER_HOMES: readonly (readonly Glob[])[] = [[["root"]], [["home"], ["", ""]], [["users"], ["", ""]]];

export function compilePathRules(rules: readonly PathRule[]): CompiledPathRules {
  return rules.map(compileRule);
}

/** Whether an absolute, normalized path falls under one of the rules. */
export function matchesPath(rules: CompiledPathRules, path: string, home: string): boolean {
  const names = split(path.toLowerCase());
  const homes = [split(home.toLowerCase()).map((name): Glob => [name]), ...OTHER_HOMES];
  return rules.some((rule) => matchesRule(rule, names, homes));
}

function compileRule(rule: PathRule): CompiledRule {
  const fromHome = rule.path.startsWith("~/");
  const names = split(rule.path.replace(/^~/, "").toLowerCase());
  const anyDepthBefore = names[0] === "**";
  const anyDepthAfter = names.at(-1) === "**";
  const inner = names.slice(anyDepthBefore ? 1 : 0, anyDepthAfter ? -1 : undefined);
  const except = (rule.except ?? []).map((name) => name.toLowerCase().split("*"));
  return { names: inner.map((name) => name.split("*")), fromHome, anyDepthBefore, anyDepthAfter, except };
}

function matchesRule(rule: CompiledRule, names: readonly string[], homes: readonly (readonly Glob[])[]): boolean {
  const last = names.at(-1) ?? "";
  if (rule.except.some((glob) => matchGlob(glob, last))) return false;
  if (rule.fromHome) return homes.some((home) => fits(home, { names, at: 0 }) && fitsFrom(rule, names, home.length));
  if (!rule.anyDepthBefore) return fitsFrom(rule, names, 0);
  const lastStart = names.length - rule.names.length;
  if (!rule.anyDepthAfter) return lastStart >= 0 && fitsFrom(rule, names, lastStart);
  for (let start = 0; start <= lastStart; start += 1) if (fitsFrom(rule, names, start)) return true;
  return false;
}

function fitsFrom(rule: CompiledRule, names: readonly string[], at: number): boolean {
  const end = at + rule.names.length;
  return (rule.anyDepthAfter ? names.length >= end : names.length === end) && fits(rule.names, { names, at });
}

function fits(globs: readonly Glob[], { names, at }: { names: readonly string[]; at: number }): boolean {
  return globs.every((glob, index) => matchGlob(glob, names[at + index] ?? ""));
}

function split(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
