import { EFFECT_KINDS, JAILS, RISK_LEVELS } from "@countersign/vocabulary";
import * as z from "zod";
import { describeProblems } from "./mistyped-keys.ts";

/** Ten years. A longer deadline is a mistake, and sums with a date must stay safe integers. */
export const MAX_TIMEOUT_MS = 315_360_000_000;
export const MAX_PATTERN_LENGTH = 4096;
export const MAX_ENTRIES = 10_000;
/** Two full lists: combining profiles keeps all deny entries of both. */
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
/**
 * Whether a question may be passed on: only to our approvers, to the agent's own prompt if no approver is there, or
 * always to that prompt.
 */
export const handBackSchema = z.enum(["never", "no-approver", "always"]);
/** auto: use a jail if one can be built. required: don't run without. off: never use one. */
export const sandboxSchema = z.enum(["auto", "required", "off"]);

/**
 * Limits what an entry may cover. Each further key narrows it; an absent key doesn't limit anything.
 *
 * roots:      directories or exact paths that path targets lie in; with `options` or `subcommand` they also limit the directory.
 * options:    the option words, without values, that the command may have. A cluster (`-rf`) is one word.
 * subcommand: the words that choose what the program does (`status`, `run build`); empty for a command without any.
 * hosts:      the hosts that it may reach; the empty name is the host in the tool's own settings.
 * places:     the exact directories that it may run in.
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

/** Keys that entries and grants share: who made them, when and why, and when they expire. */
const originShape = {
  id: z.string().min(1).max(128).optional(),
  by: z.string().max(256).optional(),
  atMs: timeSchema.optional(),
  why: z.string().max(1024).optional(),
  expiresAtMs: timeSchema.optional(),
};

/**
 * directory: it applies only to commands that run inside.
 * command:   it covers exactly this command, with its redirects and all programs that it runs; `pattern` is then only the
 *            first words, for the index.
 * code:      by path, the SHA-256 of each file whose code the command runs, or null if the file didn't exist. Once one of
 *            them changes, the entry covers nothing. An entry without it doesn't pin the code.
 * jail:      covered commands run in this jail instead of the one that their effects need.
 * lend:      programs get the credentials that they need, even if the command isn't a safe read.
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

/** An entry that a caller requests. Strict, and without the keys that only we set: its id, who made it and when. */
export const wantedEntrySchema = z.strictObject(entrySchema.omit({ id: true, by: true, atMs: true }).shape);

/** Allows any command whose effects stay inside `root`, without network, in a jail. */
export const grantSchema = z.looseObject({ root: absoluteSchema, ...originShape });
export type Grant = z.infer<typeof grantSchema>;

/** Seed 001's `execApproval` block with its defaults, and our own keys. Unknown keys are kept. */
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
  /** Required to allow something dangerous: any approver's token, or a signature of one of their devices. */
  assurance: assuranceSchema.default("token"),
  /** Whether the agent's own prompt may get the question; `mayHandBack` lists the exceptions. */
  handBack: handBackSchema.default("never"),
  /** Variables that every command gets. Names of secrets, and names that make programs load code, are never passed. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w{0,127}$/, "isn't a variable name"), z.string().max(32_768)).optional(),
});
export type Profile = z.infer<typeof profileSchema>;

/** All keys of a profile that aren't lists. Unstated keys stay as they are. */
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
 * Ceiling of an entry that states none: a program's ordinary work. Changes of rights, secrets, history or the shell,
 * and anything dangerous, must be stated.
 */
export const DEFAULT_CEILING: Ceiling = {
  kinds: EFFECT_KINDS.filter(
    (kind) =>
      !["privilege", "credentials", "persistence", "obfuscation", "environment", "history-rewrite"].includes(kind),
  ),
  risk: "needs-review",
};
