import { type Glob, matchGlob } from "./match-glob.ts";
import type { PathRule } from "./tables/paths.ts";

interface CompiledRule {
  readonly names: readonly Glob[];
  readonly anyDepthAfter: boolean;
  readonly except: readonly Glob[];
}

/** Rules by where they can begin, so that most paths are done with after a look at their first names. */
export interface CompiledPathRules {
  readonly fromRoot: ReadonlyMap<string, readonly CompiledRule[]>;
  readonly fromHome: readonly CompiledRule[];
  readonly anywhere: readonly CompiledRule[];
}

export function compilePathRules(rules: readonly PathRule[]): CompiledPathRules {
  const fromRoot = new Map<string, CompiledRule[]>();
  const compiled = { fromRoot, fromHome: [] as CompiledRule[], anywhere: [] as CompiledRule[] };
  for (const rule of rules) {
    const names = split(rule.path.toLowerCase());
    const first = names[0] ?? "";
    if (first === "~") compiled.fromHome.push(compileRule(names.slice(1), rule));
    else if (first === "**") compiled.anywhere.push(compileRule(names.slice(1), rule));
    else fromRoot.set(first, [...(fromRoot.get(first) ?? []), compileRule(names, rule)]);
  }
  return compiled;
}

/** Whether an absolute, normalized path falls under one of the rules. */
export function matchesPath(rules: CompiledPathRules, path: string, home: string): boolean {
  const names = split(path.toLowerCase());
  if (rules.fromRoot.get(names[0] ?? "")?.some((rule) => fitsFrom(rule, names, 0))) return true;
  const depths = rules.fromHome.length === 0 ? [] : homeDepths(names, home);
  if (depths.some((depth) => rules.fromHome.some((rule) => fitsFrom(rule, names, depth)))) return true;
  return rules.anywhere.some((rule) => fitsAnywhere(rule, names));
}

function compileRule(names: readonly string[], rule: PathRule): CompiledRule {
  const anyDepthAfter = names.at(-1) === "**";
  const inner = anyDepthAfter ? names.slice(0, -1) : names;
  const except = (rule.except ?? []).map((name) => name.toLowerCase().split("*"));
  return { names: inner.map((name) => name.split("*")), anyDepthAfter, except };
}

/** How many names lead to a home directory: ours, root's, or anyone's under /home or /Users. */
function homeDepths(names: readonly string[], home: string): number[] {
  const own = split(home.toLowerCase());
  const depths = own.every((name, index) => names[index] === name) ? [own.length] : [];
  if (names[0] === "root") depths.push(1);
  if (names[0] === "home" || names[0] === "users") depths.push(2);
  return depths;
}

function fitsAnywhere(rule: CompiledRule, names: readonly string[]): boolean {
  const last = names.length - rule.names.length;
  if (!rule.anyDepthAfter) return last >= 0 && fitsFrom(rule, names, last);
  for (let start = 0; start <= last; start += 1) if (fitsFrom(rule, names, start)) return true;
  return false;
}

function fitsFrom(
  { names: globs, anyDepthAfter, except }: CompiledRule,
  names: readonly string[],
  at: number,
): boolean {
  const end = at + globs.length;
  if (anyDepthAfter ? names.length < end : names.length !== end) return false;
  for (let index = 0; index < globs.length; index += 1) {
    if (!matchGlob(globs[index] as Glob, names[at + index] as string)) return false;
  }
  const last = names.at(-1) ?? "";
  return !except.some((glob) => matchGlob(glob, last));
}

function split(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
