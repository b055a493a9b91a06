import type { Classification, Part } from "./classification.ts";
import { findLoose, isSafe } from "./cover.ts";
import type { Enforcement } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { escapePatternWord } from "./match-entry.ts";
import { type Ceiling, type Entry, MAX_PATTERN_LENGTH } from "./profile.ts";
import { isExact, readShape } from "./read-shape.ts";
import { basename, isInside } from "./resolve-path.ts";
import { worst } from "./risk.ts";
import { INTERPRETERS, RUNNERS } from "./tables/programs.ts";
import { DELETERS } from "./tables/shapes.ts";
import { WRAPPERS } from "./tables/wrappers.ts";

export interface DeriveOptions {
  readonly roots: readonly string[];
  /** Under it safe parts need entries too. */
  readonly safeIsMiss?: boolean;
  readonly enforcement?: Enforcement;
}

export interface DerivedEntries {
  readonly entries: readonly Entry[];
  /** Why something can't be allowed for ever, for the person who tried. */
  readonly note?: string;
}

/** The entries that `allow-always` saves: one for each part that needed the answer, each no wider than what was seen. */
export function deriveEntries(classification: Classification, options: DeriveOptions): DerivedEntries {
  const enforcement = options.enforcement ?? "jail";
  const refusal = findRefusal(classification, enforcement);
  if (refusal !== undefined) return { entries: [], note: `allow-always can't be saved: ${refusal}` };
  const { parts } = classification;
  const unsafe = parts.filter((part) => !isSafe(part.effects, { enforcement }));
  const wanted = unsafe.length === 0 || options.safeIsMiss ? parts : unsafe;
  const entries: Entry[] = [];
  const notes: string[] = [];
  for (const part of wanted) {
    const derived = deriveEntry(part, { parts, options });
    if (derived === "covered-by-another") continue;
    if (typeof derived === "string") notes.push(derived);
    else if (!entries.some((entry) => JSON.stringify(entry) === JSON.stringify(derived))) entries.push(derived);
  }
  return { entries, ...(notes.length > 0 ? { note: `allow-always can't be saved for ${notes.join("; ")}` } : {}) };
}

function findRefusal(classification: Classification, enforcement: Enforcement): string | undefined {
  if (classification.opaque) return "the command can't be read to its end";
  const floor = classification.effects.find((effect) => effect.floor);
  if (floor) return `only a person can allow this each time (${floor.sentence})`;
  return findLoose(classification).find((effect) => !isSafe([effect], { enforcement }))?.sentence;
}

interface Setting {
  readonly parts: readonly Part[];
  readonly options: DeriveOptions;
}

function deriveEntry(part: Part, { parts, options }: Setting): Entry | string {
  const enforcement = options.enforcement ?? "jail";
  const index = parts.indexOf(part);
  const inner = parts.find((one) => one.wrapper === index);
  const outer = part.wrapper === undefined ? undefined : parts[part.wrapper];
  const names = (one: Part) => basename(one.words[0] ?? "");
  if (outer !== undefined && isNamedWith(outer)) return "covered-by-another";
  if (inner !== undefined && !isNamedWith(part))
    return isSafe(part.effects, { enforcement }) ? "covered-by-another" : `${names(part)} (what it runs decides)`;
  const together = inner === undefined ? [part] : [part, inner];
  const label = part.words
    .map((word) => word ?? "…")
    .slice(0, 3)
    .join(" ");
  const missing = together.find((one) => one.program === undefined);
  if (missing) return `${label} (${names(missing) || "its program"} isn't on the trusted PATH)`;
  const foreign = together
    .flatMap((one) => one.effects)
    .find((effect) => !effect.own && !isSafe([effect], { enforcement }));
  if (foreign) return `${label} (${foreign.sentence})`;
  const pattern = inner === undefined ? patternFor(part) : patternForBoth(part, inner);
  if (pattern === undefined) return `${label} (an entry would cover whatever it runs)`;
  if (pattern.length > MAX_PATTERN_LENGTH) return `${label} (it is too long)`;
  const ceiling = makeCeiling(together, options);
  return ceiling === undefined ? `${label} (where it runs isn't certain)` : { pattern, ceiling };
}

/** Wrappers that cause something themselves, as sudo does, are saved together with what they run. */
function isNamedWith(part: Part): boolean {
  return part.effects.some((effect) => effect.kind === "privilege" && effect.ruleId === "wrapper.privilege");
}

/** `<program> **`; for an interpreter or runner what it is given, and nothing when that isn't a plain word. */
function patternFor(part: Part): string | undefined {
  const name = basename(part.words[0] ?? "");
  if (WRAPPERS.some((wrapper) => wrapper.names.includes(name) && wrapper.causes !== undefined)) return undefined;
  if (name === "env" || name === "xargs") return undefined;
  const runs = [...INTERPRETERS, ...RUNNERS].includes(name) || /^(python|ruby|perl|php|node|lua)[\d.]*$/.test(name);
  const script = part.words[1];
  if (runs && (script === undefined || script === null || script === "" || script.startsWith("-"))) return undefined;
  if (isExact(part.words) || isExactlyDangerous(part)) return exactPattern(part);
  if (!runs || !script) return `${escapePatternWord(name)} **`;
  return `${escapePatternWord(name)} ${escapePatternWord(script)} **`;
}

/** Dangerous, and not by what it deletes: its targets then don't say how far it goes. */
function isExactlyDangerous(part: Part): boolean {
  return !isDescribed(part) && part.effects.some((effect) => effect.risk === "dangerous");
}

/** The very words, where a pattern can hold them: it knows no empty word, and is trimmed. */
function exactPattern(part: Part): string | undefined {
  const [head, ...rest] = part.words;
  if (head === null || head === undefined || rest.some((word) => word === null || word === "")) return undefined;
  const words = [basename(head), ...(rest as readonly string[])];
  return /\s$/.test(words.at(-1) ?? "") ? undefined : words.map(escapePatternWord).join(" ");
}

/** Its effects say all that it does: the tables know each of its words, or its operands are its targets. */
function isDescribed(part: Part): boolean {
  return part.described === true || DELETERS.includes(basename(part.words[0] ?? ""));
}

function patternForBoth(part: Part, inner: Part): string | undefined {
  const own = part.words.slice(0, part.words.length - inner.words.length);
  const rest = patternFor(inner);
  if (rest === undefined || own.length === 0 || own.includes(null)) return undefined;
  const [head = "", ...options] = own as readonly string[];
  return [basename(head), ...options].map(escapePatternWord).concat(rest).join(" ");
}

/**
 * Dangerous: exactly the targets seen. Otherwise the roots they lie in, or the target itself outside of all roots. A program
 * that isn't described is also held to its options, its subcommand, the machines it reaches and where it ran; undefined when
 * that can't be told.
 */
function makeCeiling(parts: readonly Part[], { roots, enforcement = "jail" }: DeriveOptions): Ceiling | undefined {
  const seen = parts.flatMap((part) => part.effects).filter((effect) => effect.own);
  const kinds = [...new Set(seen.map((effect) => effect.kind))];
  const relied =
    enforcement !== "jail" && seen.some((effect) => effect.reliesOnJail) ? (["needs-review"] as const) : [];
  const risk = worst([...seen.map((effect) => effect.risk), ...relied]);
  const targets = [
    ...new Set(
      seen.flatMap((effect) => (effect.target?.startsWith("/") && effect.kind !== "executes" ? [effect.target] : [])),
    ),
  ];
  const program = parts.at(-1) as Part;
  const widen = (path: string) => roots.find((root) => isInside(path, root)) ?? path;
  const named = seen.every((effect) => effect.target !== undefined || !["writes", "deletes"].includes(effect.kind));
  if (isDescribed(program) || (isExactlyDangerous(program) && targets.length > 0 && named)) {
    if (risk === "dangerous") return { kinds, risk, roots: targets };
    return targets.length === 0 ? { kinds, risk } : { kinds, risk, roots: [...new Set(targets.map(widen))] };
  }
  const shape = readShape(program.words);
  if (shape === undefined || program.directory === undefined) return undefined;
  const places = [program.directory, ...targets];
  const within = [...new Set(isExactlyDangerous(program) ? places : places.map(widen))];
  return { kinds, risk, roots: within, ...shape, options: [...shape.options], ...findHosts(program, seen) };
}

function findHosts(program: Part, seen: readonly Effect[]): Pick<Ceiling, "hosts"> {
  const network = seen.filter((effect) => effect.kind === "network-read" || effect.kind === "network-send");
  // The very words name the same machines.
  if (network.length === 0 || isExact(program.words) || isExactlyDangerous(program)) return {};
  return { hosts: [...new Set(network.flatMap((effect) => effect.target ?? []))] };
}
