import * as z from "zod";
import { INCOMPLETE_SIGNATURE, outsideIdSchema, signatureShape, signedWholly } from "../proposals/index.ts";
import { nameSchema } from "./token.ts";

/** 32 raw bytes of an Ed25519 public key (RFC 8032), base64url without padding or spare bits. */
const publicKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, "isn't an Ed25519 public key in base64url");

/** A device that can sign. Its key is set once, by the token that it belongs to. */
export const wantedDeviceSchema = z.strictObject({
  deviceId: outsideIdSchema,
  name: nameSchema,
  publicKey: publicKeySchema,
});
export type WantedDevice = z.infer<typeof wantedDeviceSchema>;
export const enrolledDeviceSchema = z.object({ deviceId: z.string(), keyId: z.string() });
export type EnrolledDevice = z.infer<typeof enrolledDeviceSchema>;

/** The same on the local socket, which has no token of its own. */
export const localDeviceSchema = wantedDeviceSchema.extend({ token: z.string().min(1).max(512) });

export const deviceViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  tokenId: z.string(),
  publicKey: z.string().nullable(),
  createdAtMs: z.number(),
});
export type DeviceView = z.infer<typeof deviceViewSchema>;

/** Pairing, the approver's side: the code goes to the new device, in the fragment of a link. */
export const pairingStartedSchema = z.object({ code: z.string(), expiresAtMs: z.number() });
export type PairingStarted = z.infer<typeof pairingStartedSchema>;

/** How long an answer may be waited for at once. */
const waitMsSchema = z.coerce.number().int().min(0).max(25_000);
export const pairingWaitSchema = z.object({ waitMs: waitMsSchema.optional() });

/** Whoever claimed a code, with the key that it would sign with. */
const claimantShape = { name: z.string(), check: z.string(), keyId: z.string(), expiresAtMs: z.number() };

/** What the approver sees of a code. */
export const pairingViewSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("open"), expiresAtMs: z.number() }),
  z.object({ state: z.literal("claimed"), ...claimantShape }),
  z.object({ state: z.literal("paired"), ...claimantShape }),
  z.object({ state: z.literal("refused"), expiresAtMs: z.number() }),
]);
export type PairingView = z.infer<typeof pairingViewSchema>;

/** The new device's side. `secret` is its own, so that nobody else collects what it was given. */
export const pairingClaimSchema = z.strictObject({
  code: z.string().min(1).max(64),
  name: nameSchema,
  publicKey: publicKeySchema,
  secret: z.string().min(16).max(128),
});
/** Both sides show `check`; the person compares them before confirming. */
export const pairingClaimedSchema = z.object({ check: z.string(), expiresAtMs: z.number() });
export type PairingClaimed = z.infer<typeof pairingClaimedSchema>;
/**
 * Signed as a new token is, over `{approvalId: "pairing:<code>", …}` and the hash of `{check, code, keyId, name}`: the key that is let in, by
 * the name that was shown.
 */
export const pairingConfirmSchema = z
  .strictObject({ code: z.string().max(64), check: z.string().max(16), ...signatureShape })
  .refine(signedWholly, INCOMPLETE_SIGNATURE);
export const pairingCollectSchema = z.strictObject({
  code: z.string().max(64),
  secret: z.string().max(128),
  /** Waits so long for the approver. */
  waitMs: waitMsSchema.optional(),
});
export const pairingCollectedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("waiting") }),
  z.object({ state: z.literal("refused") }),
  z.object({ state: z.literal("paired"), token: z.string(), deviceId: z.string(), keyId: z.string() }),
]);
export type PairingCollected = z.infer<typeof pairingCollectedSchema>;
