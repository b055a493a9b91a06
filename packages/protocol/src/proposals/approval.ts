import {
  APPROVAL_DECISIONS,
  type ApprovalDecision,
  EFFECT_KINDS,
  ENFORCEMENTS,
  JAILS,
  RISK_LEVELS,
  SAFETY_LAYERS,
  SCRIPT_OMISSIONS,
} from "@countersign/vocabulary";
import * as z from "zod";

export const riskLevelSchema = z.enum(RISK_LEVELS);
export const enforcementSchema = z.enum(ENFORCEMENTS);
export const jailSchema = z.enum(JAILS);

export const effectKindSchema = z.enum(EFFECT_KINDS);
export const layerSchema = z.enum(SAFETY_LAYERS);

/** `SCRIPT_OMISSION_WORDS` says it. */
export const scriptOmissionSchema = z.enum(SCRIPT_OMISSIONS);

/**
 * What stands in a script of package.json: somebody else's text. `runs` are its texts in the order in which they run (`pretest`, `test`,
 * `posttest`), each with how many characters at its end aren't shown; or `silence` is why they aren't here.
 */
export const shownScriptSchema = z.object({
  file: z.string(),
  runs: z
    .array(z.object({ name: z.string(), text: z.string(), left: z.number().int().min(1).optional() }))
    .readonly()
    .optional(),
  silence: scriptOmissionSchema.optional(),
});
export type ShownScript = z.infer<typeof shownScriptSchema>;

/** One predicted consequence; `span` are UTF-16 offsets into the command as proposed. */
export const wireEffectSchema = z.object({
  kind: effectKindSchema,
  risk: riskLevelSchema,
  sentence: z.string(),
  layer: layerSchema,
  ruleId: z.string(),
  span: z.object({ pos: z.number(), end: z.number() }),
  target: z.string().optional(),
  /** Where it runs a script: what stands there, in the file whose hash is among `code`. */
  script: shownScriptSchema.optional(),
});

/** What an approver is shown: seed 001's fields, and ours beside them. */
export const execApprovalRequestSchema = z.object({
  approvalId: z.string(),
  agentId: z.string(),
  command: z.string(),
  cwd: z.string().optional(),
  riskLevel: riskLevelSchema,
  riskReasons: z.array(z.string()),
  expiresAtMs: z.number(),
  subject: z.enum(["exec", "policy"]),
  agentName: z.string(),
  /** The repository around its directory, and the branch that is checked out there. */
  repository: z.string().optional(),
  branch: z.string().optional(),
  /** Where the agent runs it by itself once it is allowed; else this hub does. */
  runBy: z.literal("agent").optional(),
  jail: jailSchema,
  /** With a jail: the hosts that it lets the command reach. */
  network: z.union([z.literal("any"), z.array(z.string())]).optional(),
  /** Files whose code it would start, by path. */
  code: z.array(z.object({ path: z.string(), sha256: z.string() })).optional(),
  /** Credentials that a run in this jail gets, in words. */
  lends: z.array(z.string()).optional(),
  /** Files outside of the workspace that its jail opens for writing, each alone, in words. */
  opens: z.array(z.string()).optional(),
  /** Writes outside of the workspace that will fail in its jail, each with the reason. */
  fails: z.array(z.string()).optional(),
  /** Limits of the run, configured or default, that the hub's machine doesn't enforce in full, each with the reason. */
  unheld: z.array(z.string()).optional(),
  enforcement: enforcementSchema,
  env: z.record(z.string(), z.string()),
  effects: z.array(wireEffectSchema),
  proposalHash: z.string(),
  reason: z.string().optional(),
  /** What would change in a file: lines of a unified diff. Only the hub's own tools have one; no proposer can set it. */
  diff: z.string().optional(),
  /** How many identical questions of the session wait; absent where it is the only one. One answer allows one of them. */
  count: z.number().int().min(2).optional(),
});
export type ExecApprovalRequestPayload = z.infer<typeof execApprovalRequestSchema>;

export const approvalDecisionSchema = z.enum(APPROVAL_DECISIONS);

/** Longer ones hold a pattern that no entry may have. */
const MAX_SCOPE = 4_200;
const UNSCOPED = "scope goes with allow-always";

function scopedRightly({ decision, scope }: { decision: ApprovalDecision; scope?: string | undefined }): boolean {
  return scope === undefined || decision === "allow-always";
}

/** More never wait in one session. */
const MAX_TIMES = 1_000;
const UNTIMED = "times goes with allowing";

function timedRightly({ decision, times }: { decision: ApprovalDecision; times?: number | undefined }): boolean {
  return times === undefined || decision !== "deny";
}

const UNEDITED = "an edited command goes with allow-once, and for one";

function editedRightly(answer: {
  decision: ApprovalDecision;
  command?: string | undefined;
  times?: number | undefined;
}): boolean {
  return answer.command === undefined || (answer.decision === "allow-once" && (answer.times ?? 1) === 1);
}

export const INCOMPLETE_SIGNATURE = "nonce, keyId and signature come together";

/** The three parts of a signature come together or not at all, else a half-signed decision could pass as a plain one. */
export function signedWholly({
  nonce,
  keyId,
  signature,
}: Partial<Record<"nonce" | "keyId" | "signature", string | undefined>>): boolean {
  return new Set([nonce, keyId, signature].map((part) => part === undefined)).size === 1;
}

/** What a signed decision has beside itself. */
export const signatureShape = {
  /** Fresh for each decision; the hub accepts one once. */
  nonce: z.string().min(1).max(128).optional(),
  /** base64url(SHA-256(raw public key)), see `keyIdOf`. */
  keyId: z.string().max(64).optional(),
  /** base64url of the Ed25519 signature over `decisionToSign`. */
  signature: z.string().max(128).optional(),
};

/**
 * An answer, plain or signed. Strict: an answer that carries something this hub doesn't know must not be taken as the plain
 * answer without it.
 */
const answerShape = z.strictObject({
  decision: approvalDecisionSchema,
  reason: z
    .string()
    .max(1024)
    .refine((reason) => reason.isWellFormed(), "isn't valid Unicode")
    .optional(),
  /**
   * What `allow-always` is for: `<match>@<extent>`. Match: `exact`, `program`, `effects` or `pattern:<pattern>`; extent: `session`,
   * `<minutes>m`, `directory`, `repository` or `forever`. Without it, the programs of the command, for ever.
   */
  scope: z
    .string()
    .min(1)
    .max(MAX_SCOPE)
    .refine((scope) => scope.isWellFormed(), "isn't valid Unicode")
    .optional(),
  /** To run it in another jail than the card says. */
  jail: jailSchema.exclude(["none"]).optional(),
  /**
   * What runs instead of what was proposed, this once; judged as if it had been proposed. A signature is then over its hash. Whoever runs
   * commands by itself is told to propose exactly this.
   */
  command: z
    .string()
    .refine((command) => command.trim() !== "", "is empty")
    .refine((command) => command.isWellFormed() && !command.includes("\0"), "isn't valid Unicode, or contains a NUL")
    .optional(),
  /** Of identical ones that wait, how many it allows; without it one. To deny denies all of them. */
  times: z.number().int().min(1).max(MAX_TIMES).optional(),
  ...signatureShape,
});
export const answerSchema = answerShape
  .refine(signedWholly, INCOMPLETE_SIGNATURE)
  .refine(scopedRightly, UNSCOPED)
  .refine(timedRightly, UNTIMED)
  .refine(editedRightly, UNEDITED);
export type Answer = z.infer<typeof answerSchema>;

export const resolveExecApprovalParamsSchema = answerShape
  .extend({ approvalId: z.string() })
  .refine(signedWholly, INCOMPLETE_SIGNATURE)
  .refine(scopedRightly, UNSCOPED)
  .refine(timedRightly, UNTIMED)
  .refine(editedRightly, UNEDITED);
export type ResolveExecApprovalParams = z.infer<typeof resolveExecApprovalParamsSchema>;

export const answerResultSchema = z.object({
  ok: z.literal(true),
  /** How many identical ones it answered, where that isn't one. */
  count: z.number().int().min(2).optional(),
  /** What `allow-always` saved: patterns, commands, or a directory. */
  saved: z.array(z.string()).optional(),
  /** What the person should know, such as why nothing could be saved. */
  note: z.string().optional(),
});
export type AnswerResult = z.infer<typeof answerResultSchema>;

/** A way to allow a command more than once. */
export const scopeOfferSchema = z.object({
  /** To answer with. */
  scope: z.string(),
  /** One line for a person. */
  words: z.string(),
  /** What would be saved: patterns, commands, or a directory. */
  saves: z.array(z.string()),
  note: z.string().optional(),
});
export type ScopeOffer = z.infer<typeof scopeOfferSchema>;
