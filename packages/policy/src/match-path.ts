import { type Glob, matchGlob } from "./match-glob.ts";
import type { PathRule } from "./tables/paths.ts";

interface CompiledRule {
  readonly names: readonly Glob[];
  readonly anyDepthAfter: boolean;
  readonly except: readonly Glob[];
}

/** Rules by a name that they must find at one place; those whose name there is a glob apart. */
interface Index {
  readonly named: Map<string, CompiledRule[]>;
  readonly globbed: CompiledRule[];
}

/** Rules by where they can begin, so that most paths are done with after a look at some of their names. */
export interface CompiledPathRules {
  readonly fromRoot: Index;
  readonly fromHome: Index;
  /** At any depth: rules with all that is inside go by their first name, the others by their last. */
  readonly inside: Index;
  readonly last: Index;
}

export function compilePathRules(rules: readonly PathRule[]): CompiledPathRules {
  const index = (): Index => ({ named: new Map(), globbed: [] });
  const compiled = { fromRoot: index(), fromHome: index(), inside: index(), last: index() };
  for (const rule of rules) {
    const names = split(rule.path.toLowerCase());
    const first = names[0] ?? "";
    const inner = first === "~" || first === "**" ? names.slice(1) : names;
    const one = compileRule(inner, rule);
    if (first === "~") put(compiled.fromHome, inner[0], one);
    else if (first !== "**") put(compiled.fromRoot, inner[0], one);
    else if (one.anyDepthAfter) put(compiled.inside, inner[0], one);
    else put(compiled.last, inner.at(-1), one);
  }
  return compiled;
}

/** Whether an absolute, normalized path falls under one of the rules. */
export function matchesPath(rules: CompiledPathRules, path: string, home: string): boolean {
  const names = split(path.toLowerCase());
  if (fitsIndex(rules.fromRoot, names, 0)) return true;
  if (!isEmpty(rules.fromHome) && homeDepths(names, home).some((depth) => fitsIndex(rules.fromHome, names, depth)))
    return true;
  return (
    fitsLast(rules.last, names) || (!isEmpty(rules.inside) && names.some((_, at) => fitsIndex(rules.inside, names, at)))
  );
}

function compileRule(names: readonly string[], rule: PathRule): CompiledRule {
  const anyDepthAfter = names.at(-1) === "**";
  const inner = anyDepthAfter ? names.slice(0, -1) : names;
  const except = (rule.except ?? []).map((name) => name.toLowerCase().split("*"));
  return { names: inner.map((name) => name.split("*")), anyDepthAfter, except };
}

function put(index: Index, name: string | undefined, rule: CompiledRule): void {
  if (name === undefined || name.includes("*")) index.globbed.push(rule);
  else index.named.set(name, [...(index.named.get(name) ?? []), rule]);
}

function isEmpty({ named, globbed }: Index): boolean {
  return named.size === 0 && globbed.length === 0;
}

/** How many names lead to a home directory: ours, root's, or anyone's under /home or /Users. */
function homeDepths(names: readonly string[], home: string): number[] {
  const own = split(home.toLowerCase());
  const depths = own.every((name, index) => names[index] === name) ? [own.length] : [];
  if (names[0] === "root" && !depths.includes(1)) depths.push(1);
  if ((names[0] === "home" || names[0] === "users") && !depths.includes(2)) depths.push(2);
  return depths;
}

function fitsIndex({ named, globbed }: Index, names: readonly string[], at: number): boolean {
  const fits = (rule: CompiledRule) => fitsFrom(rule, names, at);
  return (named.get(names[at] ?? "")?.some(fits) ?? false) || globbed.some(fits);
}

function fitsLast({ named, globbed }: Index, names: readonly string[]): boolean {
  const fits = (rule: CompiledRule) => {
    const at = names.length - rule.names.length;
    return at >= 0 && fitsFrom(rule, names, at);
  };
  return (named.get(names.at(-1) ?? "")?.some(fits) ?? false) || globbed.some(fits);
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
