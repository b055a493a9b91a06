import type { PathRule } from "../catalog/index.ts";

interface CompiledRule {
  readonly names: readonly Glob[];
  /** Index of the name that finds it. */
  readonly key: number;
  readonly anyDepthAfter: boolean;
  readonly except: readonly Glob[];
}

/** Rules by a name at a fixed position, or by the first or last letter of a glob there. */
interface Index {
  readonly named: Map<string, CompiledRule[]>;
  readonly beginning: Map<string, CompiledRule[]>;
  readonly ending: Map<string, CompiledRule[]>;
  readonly open: CompiledRule[];
}

/** Rules by where they can begin, so that most paths need a look at only a few names. */
interface CompiledPathRules {
  readonly fromRoot: Index;
  readonly fromHome: Index | undefined;
  /** At any depth. Rules for a whole directory are found by their first name, others by their last. */
  readonly inside: Index | undefined;
  readonly last: Index | undefined;
}

/** Returns the rules for a text with paths in it. */
export function rulesOf(paths: string): readonly PathRule[] {
  return paths
    .trim()
    .split(/\s+/)
    .map((path) => ({ path }));
}

export function compilePathRules(rules: readonly PathRule[]): CompiledPathRules {
  const compiled = { fromRoot: newIndex(), fromHome: newIndex(), inside: newIndex(), last: newIndex() };
  for (const rule of rules) {
    const names = namesOf(rule.path);
    const first = names[0] ?? "";
    const inner = first === "~" || first === "**" ? names.slice(1) : names;
    const one = compileRule(inner, rule);
    if (first === "~") put(compiled.fromHome, inner[0], one);
    else if (first !== "**") put(compiled.fromRoot, inner[0], one);
    else if (one.anyDepthAfter) put(compiled.inside, inner[0], one);
    else put(compiled.last, inner.at(-1), { ...one, key: inner.length - 1 });
  }
  const { fromRoot, fromHome, inside, last } = compiled;
  return { fromRoot, fromHome: unlessEmpty(fromHome), inside: unlessEmpty(inside), last: unlessEmpty(last) };
}

/** Returns the names of an absolute path as rules compare them. */
export function namesOf(path: string): readonly string[] {
  const text = path.toLowerCase();
  const names: string[] = [];
  for (let from = 0; from < text.length; ) {
    const slash = text.indexOf("/", from);
    const end = slash === -1 ? text.length : slash;
    if (end > from) names.push(text.slice(from, end));
    from = end + 1;
  }
  return names;
}

/** Reports whether an absolute, normalized path matches one of the rules. */
export function matchesPath(rules: CompiledPathRules, names: readonly string[], home: string): boolean {
  const { fromRoot, fromHome, inside, last } = rules;
  if (fitsIndex(fromRoot, names, 0)) return true;
  if (fromHome !== undefined && fitsHome(fromHome, names, home)) return true;
  if (last !== undefined && fitsIndex(last, names, names.length - 1)) return true;
  return inside !== undefined && fitsAnywhere(inside, names);
}

function newIndex(): Index {
  return { named: new Map(), beginning: new Map(), ending: new Map(), open: [] };
}

function compileRule(names: readonly string[], rule: PathRule): CompiledRule {
  const anyDepthAfter = names.at(-1) === "**";
  const inner = anyDepthAfter ? names.slice(0, -1) : names;
  const except = (rule.except ?? []).map((name) => name.toLowerCase().split("*"));
  return { names: inner.map((name) => name.split("*")), key: 0, anyDepthAfter, except };
}

function put({ named, beginning, ending, open }: Index, name: string | undefined, rule: CompiledRule): void {
  const [first = "*", last = "*"] = [name?.[0], name?.at(-1)];
  if (name !== undefined && !name.includes("*")) add(named, name, rule);
  else if (first !== "*") add(beginning, first, rule);
  else if (last !== "*") add(ending, last, rule);
  else open.push(rule);
}

function add(rules: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  rules.set(key, [...(rules.get(key) ?? []), rule]);
}

function unlessEmpty(index: Index): Index | undefined {
  const { named, beginning, ending, open } = index;
  return named.size + beginning.size + ending.size + open.length === 0 ? undefined : index;
}

/** Matches rules that begin in a home directory: the user's, root's, or any under /home or /Users. */
function fitsHome(rules: Index, names: readonly string[], home: string): boolean {
  const [first] = names;
  const depth = first === "root" ? 1 : first === "home" || first === "users" ? 2 : undefined;
  if (depth !== undefined && fitsIndex(rules, names, depth)) return true;
  const own = namesOf(home);
  if (own.length === depth) return false;
  return own.every((name, index) => names[index] === name) && fitsIndex(rules, names, own.length);
}

/** Tries only rules whose key is the name at this position. */
function fitsIndex({ named, beginning, ending, open }: Index, names: readonly string[], at: number): boolean {
  const name = names[at] ?? "";
  if (fitsSome(named.get(name), names, at)) return true;
  if (beginning.size > 0 && fitsSome(beginning.get(name.slice(0, 1)), names, at)) return true;
  if (ending.size > 0 && fitsSome(ending.get(name.slice(-1)), names, at)) return true;
  return fitsSome(open, names, at);
}

function fitsSome(rules: readonly CompiledRule[] | undefined, names: readonly string[], at: number): boolean {
  if (rules === undefined) return false;
  for (const rule of rules) if (fitsFrom(rule, names, at - rule.key)) return true;
  return false;
}

function fitsAnywhere(index: Index, names: readonly string[]): boolean {
  for (let at = 0; at < names.length; at += 1) if (fitsIndex(index, names, at)) return true;
  return false;
}

function fitsFrom(
  { names: globs, anyDepthAfter, except }: CompiledRule,
  names: readonly string[],
  at: number,
): boolean {
  const end = at + globs.length;
  if (at < 0 || (anyDepthAfter ? names.length < end : names.length !== end)) return false;
  for (let index = 0; index < globs.length; index += 1) {
    if (!matchGlob(globs[index] as Glob, names[at + index] as string)) return false;
  }
  const last = names[names.length - 1] ?? "";
  return !except.some((glob) => matchGlob(glob, last));
}

/** Text between wildcards: `a*b` is ["a", "b"]. */
export type Glob = readonly string[];

/** Matches in linear time for each piece: pieces are found left to right, without backtracking. */
export function matchGlob(glob: Glob, text: string): boolean {
  const first = glob[0] ?? "";
  if (glob.length === 1) return text === first;
  const last = glob[glob.length - 1] ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  const until = text.length - last.length;
  for (const piece of glob.slice(1, -1)) {
    const at = text.indexOf(piece, from);
    if (at === -1 || at + piece.length > until) return false;
    from = at + piece.length;
  }
  return true;
}
