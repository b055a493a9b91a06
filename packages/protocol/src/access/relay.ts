import * as z from "zod";
import { MAX_FRAME_BYTES } from "../proposals/index.ts";

/**
 * The envelope dialect through a gateway that only relays (`countersign gateway`). It sees these frames and no others:
 * what client and hub say to each other is inside `sealed`, under keys that only a holder of the token has.
 */
export const RelayChallengeAction = "relay-challenge";
export const RelayProofAction = "relay-proof";
export const RelayHelloAction = "relay-hello";
export const RelayWelcomeAction = "relay-welcome";
export const RelayRefusedAction = "relay-refused";
export const RelayClosedAction = "relay-closed";
export const RelayGoneAction = "relay-gone";
export const SealedAction = "sealed";

/** A gateway could try shorter tokens against what it sees until one fits; those that the hub makes have 256 bits. */
export const MIN_RELAY_TOKEN = 32;

/** 32 bytes in base64url: a public key, a nonce, a MAC. */
const bytes32Schema = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "isn't 32 bytes in base64url");

/** `register` at a gateway: no token. A hub names its key, and is asked to prove it. */
export const relayRegisterPayloadSchema = z.discriminatedUnion("deviceType", [
  z.strictObject({ deviceType: z.literal("hub"), relay: z.literal(true), hubKey: bytes32Schema }),
  z.strictObject({ deviceType: z.literal("client"), relay: z.literal(true), claim: bytes32Schema }),
  z.strictObject({ deviceType: z.literal("agent"), relay: z.literal(true), claim: bytes32Schema }),
]);

/** Gateway to hub, and the hub's answer: a signature over `gatewayChallenge`. */
export const relayChallengePayloadSchema = z.strictObject({ nonce: bytes32Schema });
export const relayProofPayloadSchema = z.strictObject({ signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/) });

export const relayHelloPayloadSchema = z.strictObject({
  keyHint: z.string().regex(/^[0-9a-f]{16}$/),
  share: bytes32Schema,
});
/** `answers`, also in `relay-refused`, is the hello's share: a device that has come again meanwhile must not take it for its own. */
export const relayWelcomePayloadSchema = z.strictObject({
  answers: bytes32Schema,
  share: bytes32Schema,
  proof: bytes32Schema,
});
export const relayClosedPayloadSchema = z.object({ code: z.number().int(), reason: z.string().max(123) });
/** Gateway to hub: this device's connection has ended. */
export const relayGonePayloadSchema = z.strictObject({ deviceId: z.string() });

/** Past it a channel must be made anew. */
const MAX_SEQ = 2 ** 32;
export const sealedPayloadSchema = z.strictObject({
  seq: z.number().int().min(1).max(MAX_SEQ),
  box: z
    .string()
    .min(1)
    .regex(/^[A-Za-z0-9_-]+$/),
});
export type SealedPayload = z.infer<typeof sealedPayloadSchema>;

/** Largest text whose sealed form, a third longer and in an envelope, still fits a frame. */
export function sealableBytes(frameBytes: number = MAX_FRAME_BYTES): number {
  return Math.floor((frameBytes * 3) / 4) - 4096;
}

/** What a hub signs to be taken for the owner of its key. Bound to this purpose: the key may sign other things. */
export function gatewayChallenge(nonce: string, hubDeviceId: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["countersign gateway v1", nonce, hubDeviceId]));
}
