import { type Classification, isInside } from "../model/index.ts";
import {
  assess,
  type Circumstances,
  type Entry,
  type Grant,
  holdCode,
  leavesCodeOpen,
  type Profile,
} from "../profile/index.ts";
import { cover } from "./cover.ts";
import { findGrant } from "./cover-effects.ts";
import { deriveForCommand } from "./derive-command.ts";
import { deriveEntries, describeOpen } from "./derive-entries.ts";
import { deriveForPattern } from "./derive-written.ts";
import type { Extent, Match, Scope } from "./scope.ts";

export interface ScopeSetting {
  readonly profile: Profile;
  readonly circumstances: Circumstances;
  /** The proposal's, the workspace first. */
  readonly roots: readonly string[];
  readonly cwd: string;
  /** The repository around it, where there's one inside the roots. */
  readonly repository?: string | undefined;
}

/** What a scope comes to for one command. Who made it, when and until when is the caller's to add. */
export interface ScopePlan {
  readonly entries: readonly Entry[];
  readonly grants: readonly Grant[];
  /** What the person should know. */
  readonly note?: string;
}

export type Planned = ScopePlan | { readonly refusal: string };

/** The entries or the grant that an answer with this scope makes. Whatever is made covers the command that was asked about. */
export function planScope(scope: Scope, classification: Classification, setting: ScopeSetting): Planned {
  const { match, extent } = scope;
  const { riskLevel } = assess(classification, setting.circumstances.enforcement);
  if (riskLevel === "dangerous" && match.kind !== "exact")
    return { refusal: "of something dangerous only the exact command can be allowed more than once" };
  const place = findPlace(extent, setting);
  if ("refusal" in place) return place;
  if (match.kind === "effects") return planEffects(extent, { classification, setting });
  const made = derive(match, extent, { classification, setting });
  if ("refusal" in made) return made;
  const entries = made.entries.map((entry) => ({ ...entry, ...place }));
  if (!isCovered(entries, classification, setting)) return { refusal: "it would not cover this command" };
  return { entries, grants: [], ...(made.note === undefined ? {} : { note: made.note }) };
}

interface About {
  readonly classification: Classification;
  readonly setting: ScopeSetting;
}

/** The directory that the extent binds to. */
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

/** Where the same words may do the same: nowhere else, unless the extent says so. */
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

function derive(match: Exclude<Match, { kind: "effects" }>, extent: Extent, { classification, setting }: About): Made {
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

const NO_JAIL = "Nothing here runs in a jail: it is kept, and applies where something does";

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
