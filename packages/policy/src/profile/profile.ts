import { EFFECT_KINDS, JAILS, RISK_LEVELS } from "@countersign/vocabulary";
import * as z from "zod";
import { describeProblems } from "./mistyped-keys.ts";

/** Ten years. Longer deadlines are mistakes, and sums with a date must stay safe integers. */
export const MAX_TIMEOUT_MS = 315_360_000_000;
export const MAX_PATTERN_LENGTH = 4096;
export const MAX_ENTRIES = 10_000;
/** Two full lists: where profiles meet, every denial of both stays. */
const MAX_DENY_ENTRIES = 20_000;
const MAX_SHAPE_WORDS = 1_024;
const MAX_COMMAND_LENGTH = 65_536;
const MAX_CODE_FILES = 1_024;
export const MAX_GRANTS = 1_000;

const absoluteSchema = z.string().startsWith("/").max(4096);
const timeSchema = z.number().int().nonnegative();

export const securitySchema = z.enum(["deny", "allowlist", "full"]);
export const askSchema = z.enum(["off", "on-miss", "always"]);
export const askFallbackSchema = z.enum(["deny", "allowlist", "full"]);
export const assuranceSchema = z.enum(["device", "token"]);
/** Who else may be given a question: never anybody but our approvers, the agent's own prompt when none is there, or always that. */
export const handBackSchema = z.enum(["never", "no-approver", "always"]);
/** auto: jail where one can be built. required: don't run without. off: never build one. */
export const sandboxSchema = z.enum(["auto", "required", "off"]);

/**
 * What an entry may cover at the most. Each further key narrows it; one that is absent binds nothing.
 *
 * roots:      directories or exact paths that path targets lie in; with `options` or `subcommand` also where it runs.
 * options:    the option words, without values, that the command may have. A cluster (`-rf`) is one word.
 * subcommand: the words that choose what the program does (`status`, `run build`); empty for a command without any.
 * hosts:      the machines that it may reach; the empty one is whichever the tool's own settings name.
 * places:     the very directories that it may run in.
 */
export const ceilingSchema = z.object({
  kinds: z.array(z.enum(EFFECT_KINDS)),
  risk: z.enum(RISK_LEVELS),
  roots: z.array(z.string().startsWith("/")).optional(),
  options: z.array(z.string().max(4096)).max(MAX_SHAPE_WORDS).optional(),
  subcommand: z.string().max(4096).optional(),
  hosts: z.array(z.string().max(4096)).max(MAX_SHAPE_WORDS).optional(),
  places: z.array(absoluteSchema).max(MAX_SHAPE_WORDS).optional(),
});
export type Ceiling = z.infer<typeof ceilingSchema>;

/** What entries and grants have in common: who made them, when and why, and how long they hold. */
const originShape = {
  id: z.string().min(1).max(128).optional(),
  by: z.string().max(256).optional(),
  atMs: timeSchema.optional(),
  why: z.string().max(1024).optional(),
  expiresAtMs: timeSchema.optional(),
};

/**
 * directory: it applies only to what runs inside.
 * command:   it covers this very command as a whole, redirects and programs it runs included, and nothing else; `pattern` then
 *            only says what it begins with.
 * code:      by path, the SHA-256 of each file whose code the command runs, or null where there was none; it covers nothing
 *            once one of them has changed. An entry without it doesn't hold the code.
 * jail:      what it covers runs in this jail instead of the one that its effects call for.
 * lend:      programs get the credentials that they need, also for what isn't a safe read.
 */
export const entrySchema = z.looseObject({
  pattern: z.string().trim().min(1).max(MAX_PATTERN_LENGTH),
  ceiling: ceilingSchema.optional(),
  directory: absoluteSchema.optional(),
  command: z.string().min(1).max(MAX_COMMAND_LENGTH).optional(),
  code: z
    .record(absoluteSchema, z.string().max(256).nullable())
    .refine((code) => Object.keys(code).length <= MAX_CODE_FILES, `has more than ${MAX_CODE_FILES} files`)
    .optional(),
  jail: z.enum(JAILS).exclude(["none"]).optional(),
  lend: z.boolean().optional(),
  ...originShape,
});
export type Entry = z.infer<typeof entrySchema>;

/** An entry that somebody asks for. Strict, and without what only we may say: its id, who made it and when. */
export const wantedEntrySchema = z.strictObject(entrySchema.omit({ id: true, by: true, atMs: true }).shape);

/** Anything whose effects stay inside `root`, without network, where a jail holds it to that. */
export const grantSchema = z.looseObject({ root: absoluteSchema, ...originShape });
export type Grant = z.infer<typeof grantSchema>;

/** Seed 001's `execApproval` block with its defaults, and our keys beside it. Unknown keys are kept. */
export const profileSchema = z.looseObject({
  security: securitySchema.default("allowlist"),
  ask: askSchema.default("on-miss"),
  timeoutMs: z.number().int().min(1).max(MAX_TIMEOUT_MS).default(60_000),
  askFallback: askFallbackSchema.default("deny"),
  allowlist: z.array(entrySchema).max(MAX_ENTRIES).default([]),
  denylist: z.array(entrySchema).max(MAX_DENY_ENTRIES).default([]),
  grants: z.array(grantSchema).max(MAX_GRANTS).default([]),
  safeIsMiss: z.boolean().default(false),
  sandbox: sandboxSchema.default("auto"),
  /** What allows something dangerous: anyone with an approver's token, or only a signature of one of their devices. */
  assurance: assuranceSchema.default("token"),
  /** Whether an agent that can ask by itself is given the question; see `mayHandBack` for what it never gets. */
  handBack: handBackSchema.default("never"),
  /** Variables that every command gets. Names of secrets, and those that make programs load code, never pass. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w{0,127}$/, "isn't a variable name"), z.string().max(32_768)).optional(),
});
export type Profile = z.infer<typeof profileSchema>;

/** Everything of a profile that isn't a list; what isn't stated stays as it is. */
export const settingsSchema = z.strictObject({
  security: securitySchema.exactOptional(),
  ask: askSchema.exactOptional(),
  timeoutMs: profileSchema.shape.timeoutMs.unwrap().exactOptional(),
  askFallback: askFallbackSchema.exactOptional(),
  safeIsMiss: z.boolean().exactOptional(),
  sandbox: sandboxSchema.exactOptional(),
  assurance: assuranceSchema.exactOptional(),
  handBack: handBackSchema.exactOptional(),
});

export type ProfileReading =
  | { readonly ok: true; readonly profile: Profile }
  | { readonly ok: false; readonly problems: readonly string[] };

const fileSchema = z.looseObject({ execApproval: profileSchema.prefault({}), examples: z.unknown().optional() });

/** Reads a parsed profile file, `{ "execApproval": { … } }`. Each problem names its field. */
export function readProfile(file: unknown): ProfileReading {
  const reading = fileSchema.safeParse(file);
  const problems = describeProblems(fileSchema, file, reading.error);
  return reading.success && problems.length === 0
    ? { ok: true, profile: reading.data.execApproval }
    : { ok: false, problems };
}

/**
 * What an entry covers when it states no ceiling: a program's ordinary work. What changes rights, secrets, history or the
 * shell itself must be stated, and so must anything dangerous.
 */
export const DEFAULT_CEILING: Ceiling = {
  kinds: EFFECT_KINDS.filter(
    (kind) =>
      !["privilege", "credentials", "persistence", "obfuscation", "environment", "history-rewrite"].includes(kind),
  ),
  risk: "needs-review",
};
