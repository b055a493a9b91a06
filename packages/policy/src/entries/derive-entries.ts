import { basename, type Classification, type Part } from "../model/index.ts";
import {
  type Circumstances,
  type Enforcement,
  type Entry,
  findLoose,
  holdCode,
  isSafe,
  leavesCodeOpen,
  MAX_PATTERN_LENGTH,
} from "../profile/index.ts";
import { makeCeiling } from "./derive-ceiling.ts";
import { patternFor, patternForBoth } from "./derive-pattern.ts";
import { findRefusal } from "./refuse-entry.ts";

export interface DeriveOptions {
  readonly roots: readonly string[];
  /** Under it safe parts need entries too. */
  readonly safeIsMiss?: boolean;
  readonly enforcement?: Enforcement;
  /** With it, entries hold the code that their commands run. */
  readonly hashFile?: Circumstances["hashFile"] | undefined;
}

export interface DerivedEntries {
  readonly entries: readonly Entry[];
  /** Why something can't be allowed for ever, for the person who tried. */
  readonly note?: string;
  /** What they don't hold: code that can change while the command stays the same. */
  readonly open?: string;
}

/** The entries that `allow-always` saves: one for each part that needed the answer, each no wider than what was seen. */
export function deriveEntries(classification: Classification, options: DeriveOptions): DerivedEntries {
  const enforcement = options.enforcement ?? "jail";
  const loose = findLoose(classification).find((effect) => !isSafe([effect], { enforcement }));
  const refusal = findRefusal(classification) ?? loose?.sentence;
  if (refusal !== undefined) return { entries: [], note: `allow-always can't be saved: ${refusal}` };
  const { parts } = classification;
  const unsafe = parts.filter((part) => !isSafe(part.effects, { enforcement }));
  const wanted = unsafe.length === 0 || options.safeIsMiss ? parts : unsafe;
  const entries: Entry[] = [];
  const notes: string[] = [];
  const open: string[] = [];
  for (const part of wanted) {
    const derived = deriveEntry(part, { parts, options });
    if (derived === "covered-by-another") continue;
    if (typeof derived === "string") {
      notes.push(derived);
      continue;
    }
    const { entry, holds } = derived;
    if (!holds) open.push(entry.pattern);
    if (!entries.some((one) => JSON.stringify(one) === JSON.stringify(entry))) entries.push(entry);
  }
  return {
    entries,
    ...(notes.length > 0 ? { note: `allow-always can't be saved for ${notes.join("; ")}` } : {}),
    ...(open.length > 0 ? { open: describeOpen(open) } : {}),
  };
}

interface Setting {
  readonly parts: readonly Part[];
  readonly options: DeriveOptions;
}

export function describeOpen(patterns: readonly string[]): string {
  return `${[...new Set(patterns)].join(", ")} doesn't hold the code that it runs, which can change`;
}

interface Derived {
  readonly entry: Entry;
  /** Whether the code that it runs is held, or there's none. */
  readonly holds: boolean;
}

function deriveEntry(part: Part, { parts, options }: Setting): Derived | string {
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
  const missing = together.find((one) => one.program === undefined && !one.toolCall);
  if (missing) return `${label} (${names(missing) || "its program"} isn't on the trusted PATH)`;
  const foreign = together
    .flatMap((one) => one.effects)
    .find((effect) => !effect.own && !isSafe([effect], { enforcement }));
  if (foreign) return `${label} (${foreign.sentence})`;
  const pattern = inner === undefined ? patternFor(part) : patternForBoth(part, inner);
  if (pattern === undefined) return `${label} (an entry would cover whatever it runs)`;
  if (pattern.length > MAX_PATTERN_LENGTH) return `${label} (it is too long)`;
  const ceiling = makeCeiling(together, { roots: options.roots, enforcement });
  if (ceiling === undefined) return `${label} (where it runs isn't certain)`;
  const entry = holdCode({ pattern, ceiling }, together, options.hashFile);
  return { entry, holds: options.hashFile === undefined || !leavesCodeOpen(entry, together) };
}

/** Wrappers that cause something themselves, as sudo does, are saved together with what they run. */
function isNamedWith(part: Part): boolean {
  return part.effects.some((effect) => effect.kind === "privilege" && effect.ruleId === "wrapper.privilege");
}
