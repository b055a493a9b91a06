import { GRANT_KINDS, POLICY_LAYERS } from "@countersign/vocabulary";
import * as z from "zod";
import { effectKindSchema, profileIdSchema, riskLevelSchema, verdictSchema } from "../proposals/index.ts";
import { policyChangeSchema } from "./policy-edit.ts";

/** Query of `GET /api/v1/policy`: the profile, and the directory that repositories are looked for in. */
export const policyViewParamsSchema = z.object({
  profile: profileIdSchema.optional(),
  cwd: z.string().startsWith("/", "must be an absolute path").max(4096).optional(),
});
export type PolicyViewParams = z.infer<typeof policyViewParamsSchema>;

const policyLayerSchema = z.enum(POLICY_LAYERS);

const shownCeilingSchema = z.object({
  kinds: z.array(effectKindSchema),
  risk: riskLevelSchema,
  roots: z.array(z.string()).optional(),
  options: z.array(z.string()).optional(),
  subcommand: z.string().optional(),
  hosts: z.array(z.string()).optional(),
  places: z.array(z.string()).optional(),
});

/**
 * What a person may want to change about an entry. `unused`: it allowed nothing for long; `open`: it doesn't hold the code that it runs;
 * the others as the policy's own check finds them.
 */
export const entryFaultSchema = z.enum(["never", "expired", "twin", "denied", "broad", "unused", "open"]);

/** An entry with where it comes from, who made it and how often it was used. */
export const viewedEntrySchema = z.object({
  id: z.string(),
  list: z.enum(["allow", "deny"]),
  pattern: z.string(),
  layer: policyLayerSchema,
  file: z.string(),
  by: z.string().optional(),
  atMs: z.number().optional(),
  why: z.string().optional(),
  ceiling: shownCeilingSchema.optional(),
  expiresAtMs: z.number().optional(),
  directory: z.string().optional(),
  /** It covers this very command, and nothing else. */
  command: z.string().optional(),
  /** By path, the SHA-256 of the code that it holds. */
  code: z.record(z.string(), z.string().nullable()).optional(),
  hits: z.number(),
  lastUsedAtMs: z.number().nullable(),
  /** Why it counts for nothing, where it does. */
  idle: z.enum(["expired", "untrusted"]).optional(),
  faults: z.array(z.object({ fault: entryFaultSchema, warning: z.string() })).optional(),
});
export type ViewedEntry = z.infer<typeof viewedEntrySchema>;

/** What an answer allowed beside the profile. */
const temporaryEntrySchema = z.object({
  id: z.string(),
  /** Null: in every session. */
  sessionId: z.string().nullable(),
  atMs: z.number(),
  expiresAtMs: z.number(),
  kind: z.enum(GRANT_KINDS),
  /** The command, the pattern or the directory. */
  text: z.string(),
  by: z.string().optional(),
  why: z.string().optional(),
  directory: z.string().optional(),
  hits: z.number(),
});

/** A policy for people: every setting and entry with where it comes from, who made it and how often it was used. */
export const policyViewSchema = z.object({
  profile: z.string(),
  layers: z.array(z.object({ layer: z.string(), file: z.string(), note: z.string().optional() })),
  settings: z.array(
    z.object({
      key: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
      layer: z.enum(["default", ...policyLayerSchema.options]),
      file: z.string().optional(),
    }),
  ),
  entries: z.array(viewedEntrySchema),
  /** Anything whose effects stay inside, in a jail. */
  grants: z.array(
    z.looseObject({
      root: z.string(),
      id: z.string().optional(),
      by: z.string().optional(),
      atMs: z.number().optional(),
      why: z.string().optional(),
      expiresAtMs: z.number().optional(),
      hits: z.number(),
    }),
  ),
  /** What answers allowed beside the profile, for one session or for a while. */
  temporary: z.array(temporaryEntrySchema),
});
export type PolicyView = z.infer<typeof policyViewSchema>;

/** An edit from outside that would allow more, and doesn't apply until a person accepts it. */
export const frozenEditSchema = z.object({
  file: z.string(),
  /** A profile's id; `config` or `organisation` for those. */
  about: z.string(),
  /** What asks about it; absent where somebody refused this very edit. */
  approvalId: z.string().optional(),
  /** What it would newly allow, one sentence each. */
  widening: z.array(z.string()),
  /** Lines of a unified diff, from what is in force to what the file says. */
  diff: z.string(),
});
export type FrozenEditView = z.infer<typeof frozenEditSchema>;

/** A repository with a policy of its own. */
export const repositoryPolicySchema = z.object({
  directory: z.string(),
  file: z.string(),
  /**
   * trusted: what it allows applies. changed: it was trusted, and says something else now. untrusted: nobody trusted it. denies: it
   * allows nothing, so nobody has to. broken: it can't be read, which denies everything there. gone: it was trusted, and isn't there.
   */
  state: z.enum(["trusted", "changed", "untrusted", "denies", "broken", "gone"]),
  /** Of the file as it is; to trust it with. */
  sha256: z.string().optional(),
  allows: z.array(z.string()),
  denies: z.array(z.string()),
  /** How many of `allows`, `denies` and `changes` there is no room for: then it can't be looked at here, nor trusted from here. */
  leftOut: z.number(),
  by: z.string().optional(),
  atMs: z.number().optional(),
  /** What trusting it would newly allow, one sentence each. */
  changes: z.array(z.string()),
  problem: z.string().optional(),
});
export type RepositoryPolicy = z.infer<typeof repositoryPolicySchema>;

/** `GET /api/v1/policy`: what applies to a profile's agents in a directory. */
export const policyPageSchema = z.object({
  /** Those with a file of their own first. */
  profiles: z.array(
    z.object({ id: z.string(), own: z.boolean(), frozen: z.boolean(), problem: z.string().optional() }),
  ),
  profile: z.string(),
  cwd: z.string(),
  /** Directories that somebody may want to look at. */
  places: z.array(z.string()),
  /** Null where the policy can't be read; `problem` then says why, and everything is denied. */
  view: policyViewSchema.nullable(),
  problem: z.string().optional(),
  /** Entries that a view has no room for. */
  leftOut: z.number(),
  frozen: z.array(frozenEditSchema),
  repositories: z.array(repositoryPolicySchema),
  /** How far an entry goes that says nothing about it. */
  defaultCeiling: shownCeilingSchema,
  /** Whether only a device's signature may allow more. */
  deviceOnly: z.boolean(),
  /** Whether what runs here is held to what was predicted; without that, grants count for nothing. */
  jailed: z.boolean(),
});
export type PolicyPage = z.infer<typeof policyPageSchema>;

/** Body of `POST /api/v1/policy/replay`: a change that isn't made, held against what was proposed since then. */
export const policyReplayParamsSchema = z.strictObject({
  profile: profileIdSchema,
  change: policyChangeSchema,
  sinceMs: z.number().int().nonnegative().optional(),
});
export type PolicyReplayParams = z.infer<typeof policyReplayParamsSchema>;

const replayedChangeSchema = z.object({
  command: z.string(),
  cwd: z.string(),
  /** How often it was proposed. */
  count: z.number(),
  from: verdictSchema,
  to: verdictSchema,
  /** Why, after the change. */
  reason: z.string(),
});
export type ReplayedChange = z.infer<typeof replayedChangeSchema>;

export const policyReplaySchema = z.object({
  /** What was looked at, and what couldn't be because a secret was taken out of it. */
  proposals: z.number(),
  redacted: z.number(),
  /** How many of them would be decided otherwise, by `allow → ask` and so on. */
  counts: z.record(z.string(), z.number()),
  /** Examples, the most frequent first; a few for each way. */
  changes: z.array(replayedChangeSchema),
  /** The oldest that was looked at; null where there was none. */
  fromMs: z.number().nullable(),
  /** False where a limit ended it before `sinceMs` was reached. */
  complete: z.boolean(),
  /** What the change would newly allow, one sentence each; none: it only tightens. */
  widening: z.array(z.string()),
  /** About the entries that it would add. */
  warnings: z.array(z.string()),
});
export type PolicyReplay = z.infer<typeof policyReplaySchema>;
