import { SETTING_KEYS } from "@countersign/vocabulary";
import * as z from "zod";
import { INCOMPLETE_SIGNATURE, profileIdSchema, signatureShape, signedWholly } from "../proposals/index.ts";

/** An entry as somebody wants it; the hub adds its id, who made it and when. Checked further by the hub's policy engine. */
const wantedEntrySchema = z.looseObject({ pattern: z.string().min(1).max(4096) });
const entriesSchema = z.array(wantedEntrySchema).min(1).max(256);

const nameSchema = z.string().min(1).max(4096);

export const settingKeySchema = z.enum(SETTING_KEYS);
/** Their values are checked by the hub's policy engine too. */
const settingsSchema = z
  .partialRecord(settingKeySchema, z.union([z.string().max(64), z.number(), z.boolean()]))
  .refine((settings) => Object.keys(settings).length > 0, "names no setting");

export const policyChangeSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("allow"), entries: entriesSchema }),
  z.strictObject({ action: z.literal("deny"), entries: entriesSchema }),
  /** Every entry, allowing or denying, that has this id or this very pattern. */
  z.strictObject({ action: z.literal("remove"), entry: nameSchema }),
  /** These instead of the entry that allows and has this id or this very pattern; refused where one of them isn't narrower. */
  z.strictObject({ action: z.literal("narrow"), entry: nameSchema, entries: entriesSchema }),
  /** Other settings of the profile; those that aren't named stay. */
  z.strictObject({ action: z.literal("set"), settings: settingsSchema }),
]);
export type PolicyChange = z.infer<typeof policyChangeSchema>;

/**
 * Body of `POST /api/v1/policy/edit`. Where the policy takes only a device's word, the signature is a decision's over
 * `{approvalId: "policy:<profile>", proposalHash, decision: "allow-always", nonce}`, with `proposalHash` the SHA-256 of the RFC 8785
 * form of `{change, profile}`.
 */
export const policyEditSchema = z
  .strictObject({ profile: profileIdSchema, change: policyChangeSchema, ...signatureShape })
  .refine(signedWholly, INCOMPLETE_SIGNATURE);
export type PolicyEdit = z.infer<typeof policyEditSchema>;

const namedEntrySchema = z.object({ id: z.string(), pattern: z.string() });
export const policyEditedSchema = z.object({
  ok: z.literal(true),
  added: z.array(namedEntrySchema),
  removed: z.array(namedEntrySchema),
});
export type PolicyEdited = z.infer<typeof policyEditedSchema>;

/**
 * Body of `POST /api/v1/policy/trust`: what the file of this repository allows applies as long as it has this SHA-256 (hex);
 * null takes the trust back. Signed as an edit is, with `approvalId: "trust:<directory>"` and the hash of `{directory, sha256}`.
 */
export const policyTrustSchema = z
  .strictObject({
    directory: z.string().startsWith("/", "must be an absolute path").max(4096),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "isn't a SHA-256 in hex")
      .nullable(),
    ...signatureShape,
  })
  .refine(signedWholly, INCOMPLETE_SIGNATURE);
export type PolicyTrust = z.infer<typeof policyTrustSchema>;
