import { z } from "zod";
import { outsideIdSchema } from "./proposal.ts";
import { nameSchema } from "./token.ts";

/** 32 raw bytes of an Ed25519 public key (RFC 8032), base64url without padding. */
const publicKeySchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "isn't an Ed25519 public key in base64url");

/** A device that can sign. Its key is set once, by the token that it belongs to. */
export const wantedDeviceSchema = z.strictObject({
  deviceId: outsideIdSchema,
  name: nameSchema,
  publicKey: publicKeySchema,
});
export const enrolledDeviceSchema = z.object({ deviceId: z.string(), keyId: z.string() });

export const deviceViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  tokenId: z.string(),
  publicKey: z.string().nullable(),
  createdAtMs: z.number(),
});

/** Pairing, the approver's side: the code goes to the new device, in the fragment of a link. */
export const pairingStartedSchema = z.object({ code: z.string(), expiresAtMs: z.number() });

/** The new device's side. `secret` is its own, so that nobody else collects what it was given. */
export const pairingClaimSchema = z.strictObject({
  code: z.string().min(1).max(64),
  name: nameSchema,
  publicKey: publicKeySchema,
  secret: z.string().min(16).max(128),
});
/** Both sides show `check`; the person compares them before confirming. */
export const pairingClaimedSchema = z.object({ check: z.string(), expiresAtMs: z.number() });
export const pairingConfirmSchema = z.strictObject({ code: z.string().max(64), check: z.string().max(16) });
export const pairingCollectSchema = z.strictObject({ code: z.string().max(64), secret: z.string().max(128) });
export const pairingCollectedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("waiting") }),
  z.object({ state: z.literal("paired"), token: z.string(), deviceId: z.string(), keyId: z.string() }),
]);
