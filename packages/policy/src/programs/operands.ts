import { HOLDS_KEYS, OUTPUTS, type Output, SENDERS, USES_SECRETS, WRITERS } from "../catalog/index.ts";
import { basename, type Effect, MAX_TARGETS, makeEffect, WILD, type Word } from "../model/index.ts";
import {
  ARMS_TOOL,
  isBlockDevice,
  isKeptBySystem,
  isPersonalSecret,
  isPrecious,
  isSecret,
  judgeProtected,
  judgeWrite,
  type PathSite,
} from "../paths/index.ts";
import { placesOf, type ResolvedPath, resolveGuess, resolvePath } from "../shell/index.ts";

const holdsKeys = new Set(HOLDS_KEYS);
/** The first list that names a program counts. */
const usedWith = new Map(
  USES_SECRETS.toReversed().flatMap(({ names, options }) => names.map((name) => [name, options])),
);

/** Returns harm that operands show for any program: our own files, and secrets. */
export function judgeSensitiveOperands(name: string, words: readonly Word[], site: PathSite): Effect[] {
  const effects: Effect[] = [];
  const options = usedWith.get(name) ?? [];
  for (const [at, whole] of words.entries()) {
    const used = holdsKeys.has(name) || namesUsed(options, words[at - 1]?.mask ?? "", whole.mask);
    for (const word of withValues(whole)) {
      const leads = resolvePath(word, site.directory, site.machine);
      const found = judgeProtected(word, leads, site) ?? judgeSecret(name, leads, { site, used });
      if (found) effects.push(found);
    }
  }
  return effects;
}

/** Reports whether the word is the value of an option for a key or login that the program uses. */
function namesUsed(options: readonly string[], before: string, word: string): boolean {
  return options.some(
    (option) =>
      before === option || word.startsWith(`${option}=`) || (/^-[a-zA-Z]$/.test(option) && word.startsWith(option)),
  );
}

/** Returns the writes of programs that aren't in the catalogue: `tee`, `cp` and similar commands, and `of=` of dd. */
export function judgeWrites(name: string, words: readonly Word[], site: PathSite): Effect[] | undefined {
  const operands = findOperands(words);
  if (name === "dd") {
    const outputs = words.filter((word) => word.mask.startsWith("of=")).map((word) => cut(word, 3));
    return outputs.flatMap((word) => judgeWrite(word, site));
  }
  const writer = WRITERS.find((one) => one.names.includes(name));
  if (writer === undefined) return undefined;
  const written = writer.writes === "all" ? operands : operands.slice(-1);
  const into = writer.writes === "all" ? [] : judgeCopies(operands, site);
  const effects = [...written.flatMap((word) => judgeWrite(word, site)), ...into];
  if (effects.length <= MAX_TARGETS) return effects;
  // Only equal effects may be left out, because an entry's roots must apply to the rest.
  const sentence = `Writes more files with ${name} than are named here`;
  const many = makeEffect(site.span, {
    kind: "writes",
    layer: "safe-binary",
    ruleId: "path.many",
    sentence,
    own: true,
  });
  return [many, ...effects.filter((effect) => effect.risk === "dangerous").slice(0, MAX_TARGETS)];
}

/**
 * Returns the writes of copies into a directory: `cp a/.envrc .` writes `./.envrc`. Only files that start code or
 * configure a tool are reported.
 */
function judgeCopies(operands: readonly Word[], site: PathSite): Effect[] {
  const to = operands.at(-1);
  const sources = operands.slice(0, -1);
  // The last operand may be on another machine: `host:dir`.
  if (to === undefined || to.literal === null || /^[^/]*:/.test(to.literal)) return [];
  const { literal } = to;
  const certain = sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(literal);
  return sources.flatMap((source) => {
    const name = basename(source.mask.replace(/\/+$/, ""));
    if (name === "" || name.includes(WILD) || (!certain && extensionOf(name) === extensionOf(literal))) return [];
    const text = `${literal}/${name}`;
    const effects = judgeWrite({ ...to, literal: text, mask: text, guess: text }, site);
    // Or the last operand is the file's new name.
    return effects.filter(({ kind, risk }) => kind === "persistence" && (certain || risk !== "dangerous"));
  });
}

function extensionOf(path: string): string {
  return /[^/]\.(\w+)$/.exec(path)?.[1] ?? path;
}

/** Returns the deletions that moving files causes. */
export function judgeMovedAway(name: string, words: readonly Word[], site: PathSite): Effect[] {
  if (name !== "mv") return [];
  const targets = findTargets(findOperands(words).slice(0, -1), site);
  return targets
    .filter((target) => isKeptBySystem(target, site.machine))
    .slice(0, MAX_TARGETS)
    .map((target) => deletes(name, target, site));
}

/** Returns the deletion of one target: dangerous if the machine needs the file. */
export function deletes(name: string, target: string | undefined, site: PathSite): Effect {
  const about = { kind: "deletes", layer: "safe-binary", own: true } as const;
  if (target === undefined)
    return makeEffect(site.span, { ...about, ruleId: "deletes", sentence: `Deletes files with ${name}` });
  if (!isKeptBySystem(target, site.machine))
    return makeEffect(site.span, { ...about, ruleId: "deletes", sentence: `Deletes ${target}`, target });
  const sentence = `Matches dangerous pattern: deletes a part of the system: ${target}`;
  const grave = { risk: "dangerous", layer: "dangerous-pattern", ruleId: "deletes.system" } as const;
  return makeEffect(site.span, { ...about, ...grave, sentence, target });
}

/** Returns the path of each operand, for effects on all of them. */
export function findTargets(words: readonly Word[], site: PathSite): string[] {
  const targets = new Set<string>();
  for (const word of findOperands(words)) {
    const { lexical, real } = resolvePath(word, site.directory, site.machine);
    for (const path of [lexical, real]) if (path !== undefined && !path.includes(WILD)) targets.add(path);
  }
  return [...targets];
}

/** Reports whether deleting these words recursively removes a drive, a home or a whole root. */
export function namesPrecious(words: readonly Word[], site: PathSite): boolean {
  return findOperands(words).some((word) => {
    const leads = resolvePath(word, site.directory, site.machine);
    return placesOf(leads).some((path) => isPrecious(path, site.machine));
  });
}

export function namesBlockDevice(words: readonly Word[], site: PathSite): boolean {
  const names = (word: Word) => isBlockDevice(resolveGuess(word, site.directory, site.machine), site.machine);
  return words.some((word) => withValues(word).some(names));
}

function findOperands(words: readonly Word[]): Word[] {
  const end = words.findIndex((word) => word.literal === "--");
  const before = end === -1 ? words : words.slice(0, end);
  const after = end === -1 ? [] : words.slice(end + 1);
  return [...before.filter((word) => !/^-./.test(word.mask)), ...after];
}

function judgeSecret(
  name: string,
  leads: ResolvedPath,
  { site, used }: { readonly site: PathSite; readonly used: boolean },
): Effect | undefined {
  const paths = placesOf(leads);
  const secret = paths.find((path) => isSecret(path, site.machine));
  if (secret === undefined) return undefined;
  const grave = !used && (SENDERS.includes(name) || paths.some((path) => isPersonalSecret(path, site.machine)));
  const sentence = `Passes a secret to ${name}: ${secret.replaceAll(WILD, "*")}`;
  const about = { kind: "credentials", layer: "dangerous-pattern", ruleId: "operand.secret", own: site.own } as const;
  return makeEffect(site.span, { ...about, risk: grave ? "dangerous" : "needs-review", sentence, target: secret });
}

const MARKS = ["=", "@", ":"] as const;

/** Returns the word, and the parts after `=`, `@` or `:` in it: `--file=x`, `f=@x`, `of=x`, `-v /x:/y`. */
function withValues(word: Word): Word[] {
  const found = [word];
  for (const mark of MARKS) {
    const at = word.mask.indexOf(mark);
    if (at !== -1) found.push(cut(word, at + 1));
    // In `-v ~/.ssh:/x` the part before the colon is on this machine.
    if (at > 0 && mark === ":") found.push(upTo(word, at));
  }
  return found;
}

function upTo(word: Word, end: number): Word {
  const mask = word.mask.slice(0, end);
  const guess = word.guess.slice(0, word.guess.indexOf(":"));
  return { ...word, mask, guess, literal: word.literal === null ? null : mask };
}

function cut(word: Word, from: number): Word {
  const mask = word.mask.slice(from).replace(/^@/, "");
  const guess = word.guess.slice(from).replace(/^@/, "");
  return { ...word, mask, guess, literal: word.literal === null ? null : mask, tilde: mask.startsWith("~") };
}

const compiled = OUTPUTS.map((output) => ({
  ...output,
  when: toPattern(output.when),
  unless: toPattern(output.unless),
}));
const byName = new Map(
  OUTPUTS.flatMap(({ names }) => names.map((name) => [name, compiled.filter((one) => one.names.includes(name))])),
);

function toPattern(text: string | undefined): RegExp | undefined {
  return text === undefined ? undefined : new RegExp(text);
}

/**
 * Returns the harm of a program that isn't in the catalogue, by where its words say it writes: to the system, or where
 * code starts.
 */
export function judgeOutputs(name: string, words: readonly Word[], site: PathSite): Effect[] {
  const some = (pattern: RegExp | undefined) => words.some((word) => pattern?.test(word.mask));
  return (byName.get(name) ?? []).flatMap((output) => {
    const applies = (output.when === undefined || some(output.when)) && !some(output.unless);
    const operands = applies ? takeOperands(output, words) : [];
    const copies =
      applies && output.operands === "last" ? judgeCopies(takeOperands({ operands: "all" }, words), site) : [];
    const values = applies || output.operands ? (output.options ?? []).flatMap((one) => takeValues(one, words)) : [];
    return [...operands, ...values]
      .filter((word) => !/^[\w.+-]+(@[\w.-]+)?:/.test(word.mask))
      .flatMap((word) => judgeWrite(word, site))
      .concat(copies)
      .filter((effect) => effect.risk === "dangerous" || effect.ruleId === ARMS_TOOL);
  });
}

function takeOperands({ operands }: Pick<Output, "operands">, words: readonly Word[]): readonly Word[] {
  if (operands === undefined) return [];
  const plain = words.filter((word) => !word.mask.startsWith("-"));
  if (operands === "all") return plain;
  if (operands === "second") return words.slice(1, 2).filter((word) => plain.includes(word));
  return operands === "last" ? plain.slice(-1) : plain.slice(1);
}

/** Returns the values of an option: the next word, or the attached text. Short options may end a cluster. */
function takeValues(option: string, words: readonly Word[]): Word[] {
  const long = option.startsWith("--") || option.length > 2;
  return words.flatMap((word, index) => {
    const { mask } = word;
    const next = words[index + 1];
    if (mask === option || (!long && isCluster(mask, option))) return next === undefined ? [] : [next];
    const head = long ? `${option}=` : option;
    return mask.startsWith(head) && mask.length > head.length ? [cutValue(word, head.length)] : [];
  });
}

function isCluster(mask: string, option: string): boolean {
  return /^-[A-Za-z]+$/.test(mask) && mask.endsWith(option[1] ?? " ");
}

function cutValue(word: Word, from: number): Word {
  const mask = word.mask.slice(from);
  const guess = word.guess.slice(from);
  return { ...word, mask, guess, literal: word.literal === null ? null : mask, tilde: mask.startsWith("~") };
}
