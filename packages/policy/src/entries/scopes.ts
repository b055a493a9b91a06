import { basename, type Classification, isInside, type Part } from "../model/index.ts";
import { escapePatternWord } from "../patterns/index.ts";
import { assess, type Circumstances, type Entry, type Grant, type Profile } from "../profile/index.ts";
import { readShape } from "../programs/index.ts";
import { holdCode, leavesCodeOpen } from "./code.ts";
import { cover, findGrant } from "./covers.ts";
import { deriveEntries, deriveForCommand, deriveForPattern, describeOpen } from "./derive.ts";

/** What an answer allows in addition to this one run. */
export type Match =
  /** This exact command. */
  | { readonly kind: "exact" }
  /** Its programs, limited to what was seen: what a plain `allow-always` saves. */
  | { readonly kind: "program" }
  /** Commands that match a pattern which the person wrote. */
  | { readonly kind: "pattern"; readonly pattern: string }
  /** Any command whose effects stay inside, in a jail. */
  | { readonly kind: "effects" };

/** Where and how long it applies. Minutes apply to this workspace, in any session. */
export type Extent =
  | { readonly kind: "session" | "directory" | "repository" | "forever" }
  | { readonly kind: "minutes"; readonly minutes: number };

export interface Scope {
  readonly match: Match;
  readonly extent: Extent;
}

/** Thirty days. */
export const MAX_SCOPE_MINUTES = 43_200;

const PATTERN = "pattern:";
const EXTENTS = ["session", "directory", "repository", "forever"] as const;

/**
 * Reads `<match>@<extent>`, a single string because a device signs it. The extent follows the last `@`, since a pattern
 * may contain others. Undefined for any other text.
 */
export function readScope(text: string): Scope | undefined {
  const at = text.lastIndexOf("@");
  if (at < 0) return undefined;
  const match = readMatch(text.slice(0, at));
  const extent = readExtent(text.slice(at + 1));
  return match === undefined || extent === undefined ? undefined : { match, extent };
}

export function writeScope({ match, extent }: Scope): string {
  const what = match.kind === "pattern" ? `${PATTERN}${match.pattern}` : match.kind;
  return `${what}@${extent.kind === "minutes" ? `${extent.minutes}m` : extent.kind}`;
}

function readMatch(text: string): Match | undefined {
  if (text === "exact" || text === "program" || text === "effects") return { kind: text };
  if (!text.startsWith(PATTERN)) return undefined;
  const pattern = text.slice(PATTERN.length);
  // Must be as it is saved: the signed text and the saved text must be equal.
  return pattern === "" || pattern !== pattern.trim() ? undefined : { kind: "pattern", pattern };
}

function readExtent(text: string): Extent | undefined {
  const kind = EXTENTS.find((one) => one === text);
  if (kind !== undefined) return { kind };
  const minutes = /^[1-9]\d{0,4}m$/.test(text) ? Number(text.slice(0, -1)) : undefined;
  return minutes !== undefined && minutes <= MAX_SCOPE_MINUTES ? { kind: "minutes", minutes } : undefined;
}

/** A way to allow a command more than once. */
export interface ScopeOffer {
  /** Value to send with the answer. */
  readonly scope: string;
  /** One line for a person. */
  readonly words: string;
  /** The patterns, commands or directory that would be saved. */
  readonly saves: readonly string[];
  readonly note?: string;
}

/** Returns the possible offers, the narrowest first. None is preselected, which is the screen's decision. */
export function offerScopes(classification: Classification, setting: ScopeSetting): ScopeOffer[] {
  return listScopes(classification, setting).flatMap((scope) => {
    const plan = planScope(scope, classification, setting);
    if ("refusal" in plan) return [];
    const { entries, grants, note } = plan;
    const saves = [...entries.map(({ command, pattern }) => command ?? pattern), ...grants.map(({ root }) => root)];
    return [
      { scope: writeScope(scope), words: describeScope(scope, plan), saves, ...(note === undefined ? {} : { note }) },
    ];
  });
}

function listScopes(classification: Classification, setting: ScopeSetting): Scope[] {
  const around: Extent = { kind: setting.repository === undefined ? "directory" : "repository" };
  const session: Extent = { kind: "session" };
  const forever: Extent = { kind: "forever" };
  const exact = (extent: Extent): Scope => ({ match: { kind: "exact" }, extent });
  const { riskLevel } = assess(classification, setting.circumstances.enforcement);
  // It then applies only to the seen directory, for any extent.
  if (riskLevel === "dangerous") return [exact(session), exact({ kind: "directory" })];
  const extent: Extent = { kind: "minutes", minutes: MAX_SCOPE_MINUTES };
  const patterns = suggestPatterns(classification.parts);
  return [
    ...[session, around, forever].map(exact),
    ...patterns.map((pattern): Scope => ({ match: { kind: "pattern", pattern }, extent })),
    { match: { kind: "effects" }, extent: session },
    { match: { kind: "program" }, extent: session },
    { match: { kind: "program" }, extent: around },
    { match: { kind: "program" }, extent: forever },
  ];
}

/** Suggests `npm run **` for `npm run build`, if the command is one program with a subcommand. */
function suggestPatterns(parts: readonly Part[]): string[] {
  if (parts.length !== 1) return [];
  const words = parts[0]?.words ?? [];
  if (parts[0]?.toolCall) return [`${escapePatternWord(words[0] ?? "")} ${escapePatternWord(words[1] ?? "")} **`];
  const chosen = readShape(words)?.subcommand?.split(" ")[0];
  if (!chosen || words[1] !== chosen) return [];
  return [`${escapePatternWord(basename(words[0] ?? ""))} ${escapePatternWord(chosen)} **`];
}

/** One line for a person. */
export function describeScope({ match, extent }: Scope, { entries, grants }: ScopePlan): string {
  const patterns = [...new Set(entries.map((entry) => `\`${nameOf(entry)}\``))].join(", ");
  switch (match.kind) {
    case "exact":
      return `This exact command, ${where(extent)}`;
    case "effects":
      return `Anything that stays in ${grants[0]?.root}, without network, jailed, ${where(extent)}`;
    case "pattern":
      return `Commands that fit ${patterns}, ${where(extent)}`;
    case "program":
      return `${patterns} with what was seen here, ${where(extent)}${extent.kind === "forever" ? " (broad)" : ""}`;
  }
}

/** Names the subcommand if the entry allows no other: `npm run build …` is clearer than `npm **`. */
function nameOf({ pattern, ceiling }: Entry): string {
  return ceiling?.subcommand ? pattern.replace(/ \*\*$/, ` ${ceiling.subcommand} …`) : pattern;
}

function where(extent: Extent): string {
  switch (extent.kind) {
    case "session":
      return "this session";
    case "directory":
      return "in this directory";
    case "repository":
      return "in this repository";
    case "forever":
      return "for ever";
    case "minutes":
      return `in this workspace, ${describeMinutes(extent.minutes)}`;
  }
}

function describeMinutes(minutes: number): string {
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, "day"] : minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

export interface ScopeSetting {
  readonly profile: Profile;
  readonly circumstances: Circumstances;
  /** The proposal's roots, the workspace first. */
  readonly roots: readonly string[];
  readonly cwd: string;
  /** The surrounding repository, if it is inside the roots. */
  readonly repository?: string | undefined;
}

/** What a scope saves for one command. The caller adds who made it and when, and until when it applies. */
export interface ScopePlan {
  readonly entries: readonly Entry[];
  readonly grants: readonly Grant[];
  /** A note for the person. */
  readonly note?: string;
}

export type Planned = ScopePlan | { readonly refusal: string };

/** Returns the entries or the grant for this scope. They always cover the command in question. */
export function planScope(scope: Scope, classification: Classification, setting: ScopeSetting): Planned {
  const { match, extent } = scope;
  const { riskLevel } = assess(classification, setting.circumstances.enforcement);
  if (riskLevel === "dangerous" && match.kind !== "exact")
    return { refusal: "of something dangerous only the exact command can be allowed more than once" };
  const place = findPlace(extent, setting);
  if ("refusal" in place) return place;
  if (match.kind === "effects") return planEffects(extent, { classification, setting });
  const made = deriveWanted(match, extent, { classification, setting });
  if ("refusal" in made) return made;
  const entries = made.entries.map((entry) => ({ ...entry, ...place }));
  if (!isCovered(entries, classification, setting)) return { refusal: "it would not cover this command" };
  return { entries, grants: [], ...(made.note === undefined ? {} : { note: made.note }) };
}

interface About {
  readonly classification: Classification;
  readonly setting: ScopeSetting;
}

/** Returns the directory that the extent is limited to. */
function findPlace(extent: Extent, setting: ScopeSetting): { readonly directory?: string } | { refusal: string } {
  const { cwd, repository } = setting;
  switch (extent.kind) {
    case "directory":
      return { directory: cwd };
    case "repository":
      return repository === undefined
        ? { refusal: `there's no repository around ${cwd} inside the workspace` }
        : { directory: repository };
    case "minutes":
      return { directory: workspaceOf(setting) ?? cwd };
    default:
      return {};
  }
}

function workspaceOf({ roots, cwd }: ScopeSetting): string | undefined {
  return roots.find((root) => isInside(cwd, root));
}

/** Returns the roots in which the same words may do the same; undefined for only the seen places. */
function findRoots(extent: Extent, { roots, cwd, repository }: ScopeSetting): readonly string[] | undefined {
  switch (extent.kind) {
    case "directory":
      return [cwd];
    case "repository":
      return repository === undefined ? [] : [repository];
    case "forever":
      return roots;
    default:
      return undefined;
  }
}

type Made = { readonly entries: readonly Entry[]; readonly note?: string } | { readonly refusal: string };

function deriveWanted(
  match: Exclude<Match, { kind: "effects" }>,
  extent: Extent,
  { classification, setting }: About,
): Made {
  const { circumstances, profile } = setting;
  const { enforcement, hashFile } = circumstances;
  const roots = findRoots(extent, setting);
  switch (match.kind) {
    case "exact": {
      const entry = deriveForCommand(classification, { enforcement, roots });
      if (typeof entry === "string") return { refusal: entry };
      return noted(holdCode(entry, classification.parts, hashFile), classification);
    }
    case "pattern": {
      const about = { enforcement, hashFile, roots: roots ?? setting.roots };
      const entry = deriveForPattern(match.pattern, classification, about);
      return typeof entry === "string" ? { refusal: entry } : noted(entry, classification);
    }
    case "program": {
      const about = { enforcement, hashFile, roots: roots ?? setting.roots, safeIsMiss: profile.safeIsMiss };
      const { entries, note, open } = deriveEntries(classification, about);
      if (note !== undefined) return { refusal: note };
      return { entries, ...(open === undefined ? {} : { note: open }) };
    }
  }
}

function noted(entry: Entry, { parts }: Classification): Made {
  return { entries: [entry], ...(leavesCodeOpen(entry, parts) ? { note: describeOpen([entry.pattern]) } : {}) };
}

function isCovered(entries: readonly Entry[], classification: Classification, setting: ScopeSetting): boolean {
  const { profile, circumstances } = setting;
  const known = circumstances.allowed?.entries ?? [];
  const allowed = { entries: [...known, ...entries], grants: [] };
  return cover(classification, profile, { ...circumstances, allowed }).allowlisted;
}

const NO_JAIL = "No jail can be built here. It is saved, and applies to runs in a jail";

function planEffects(extent: Extent, { classification, setting }: About): Planned {
  const { circumstances, repository } = setting;
  if (extent.kind === "directory" || extent.kind === "forever")
    return { refusal: "effects can be allowed for a session, for minutes or for a repository" };
  const root = extent.kind === "repository" ? repository : workspaceOf(setting);
  if (root === undefined) return { refusal: "it doesn't run in a workspace" };
  const grant: Grant = { root };
  if (findGrant(classification, [grant], { ...circumstances, enforcement: "jail" }) === undefined)
    return { refusal: `not everything that this command does stays inside ${root}` };
  return { entries: [], grants: [grant], ...(circumstances.enforcement === "jail" ? {} : { note: NO_JAIL }) };
}
