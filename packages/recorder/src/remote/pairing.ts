import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { describeIssues, StartError } from "@countersign/core/errors";
import { keyOfDid, parseJson } from "@countersign/receipts";
import * as z from "zod";

const secret = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "isn't a pairing's secret");
const path = z.string().startsWith("/", "must be an absolute path");

/** What the recorder keeps of its hub, for itself alone. */
const hubPairingSchema = z.strictObject({ uid: z.int().min(0), secret, socket: path });
export type HubPairing = z.infer<typeof hubPairingSchema>;

/** What the hub keeps of its recorder. `ledger`: the did:key of the ledger's first key. */
const recorderPairingSchema = z.strictObject({
  secret,
  ledger: z.string().refine((did) => keyOfDid(did) !== null, "isn't a did:key"),
});
export type RecorderPairing = z.infer<typeof recorderPairingSchema>;

/** What is handed from the one to the other, once: a line. */
export const invitationSchema = z.strictObject({ ...recorderPairingSchema.shape, socket: path });
export type Invitation = z.infer<typeof invitationSchema>;

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function newNonce(): string {
  return randomBytes(32).toString("hex");
}

/** Of either side, over both nonces: an answer that was overheard is worth nothing the next time, or in the other direction. */
export function proofOf(side: "hub" | "recorder", key: string, nonces: { recorder: string; hub: string }): string {
  return createHmac("sha256", key).update(`countersign ${side} 1\n${nonces.recorder}\n${nonces.hub}`).digest("hex");
}

export function isProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Undefined: there's no such file. */
export function readHubPairing(file: string): HubPairing | undefined {
  return readPairing(file, hubPairingSchema);
}

export function readRecorderPairing(file: string): RecorderPairing | undefined {
  return readPairing(file, recorderPairingSchema);
}

function readPairing<T>(file: string, schema: z.ZodType<T>): T | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
  const reading = schema.safeParse(parse(text));
  if (reading.success) return reading.data;
  const why = describeIssues(reading.error, "file");
  throw new StartError("CONFIG_INVALID", `${file} is invalid: ${why}. Pair the hub and the recorder again.`);
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // No pairing either way.
    return undefined;
  }
}
