import { hostname } from "node:os";
import { enrolledDeviceSchema } from "@countersign/protocol/access";
import { canonicalize, type Json } from "@countersign/receipts";
import { type CardSigner, cardSigner, type DecisionSignature, GatewayError, signChange } from "@countersign/sdk";
import { CliError, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { askSocket, type CliDevice, callHttp, type HttpHub, openDevice } from "../connect/index.ts";

/**
 * Signs with the home's device key, which the hub is told of first. Where there's no key to use (a hub elsewhere, and a
 * home without one) or the hub doesn't know of keys yet, the answer goes as it is, and counts as much as the token.
 */
export async function signerFor(hub: HttpHub, options: GlobalOptions): Promise<CardSigner> {
  const { answer, preview, late } = cardSigner((await enrolledDevice(hub, options))?.key);
  return {
    answer: (card, plain) => answer(card, plain).catch(asFailure),
    preview: (card) => preview(card).catch(asFailure),
    late: (card) => late(card).catch(asFailure),
  };
}

/** Something that is changed rather than answered. */
export interface Change {
  readonly approvalId: string;
  readonly content: object;
}

/** What goes beside a change; nothing, where there's no key to use. */
export async function signatureOver(
  { approvalId, content }: Change,
  hub: HttpHub,
  options: GlobalOptions,
): Promise<Partial<DecisionSignature>> {
  const device = await enrolledDevice(hub, options);
  return device ? await signChange({ approvalId, canonical: canonicalize(content as Json) }, device.key) : {};
}

async function enrolledDevice(hub: HttpHub, options: GlobalOptions): Promise<CliDevice | undefined> {
  const homeDir = homeDirOf(options);
  const isHere = options.url === undefined;
  const device = await openDevice(homeDir, { token: hub.token, make: isHere });
  return device && (await enrol(hub, device, isHere ? homeDir : undefined)) ? device : undefined;
}

/**
 * False when the hub takes no key from here: it is older than signed decisions, or elsewhere, and its policy lets devices in by pairing only. To
 * be told of a device again changes nothing.
 */
async function enrol(hub: HttpHub, { deviceId, key }: CliDevice, homeDir: string | undefined): Promise<boolean> {
  const body = { deviceId, name: deviceName(), publicKey: key.publicKey };
  try {
    await callHttp(hub, { method: "POST", path: "/api/v1/devices", body }, enrolledDeviceSchema);
    return true;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === "METHOD_NOT_FOUND") return false;
    if (cause.code !== "UNAUTHORIZED") throw cause;
    // What the answer without a key is worth, the hub says when it comes.
    if (homeDir === undefined) return false;
    await enrolHere(homeDir, { ...body, token: hub.token }, cause);
    return true;
  }
}

/** By the local socket a key is let in that the wire refuses. Where it isn't, what the wire said says why. */
async function enrolHere(homeDir: string, params: object, refused: CliError): Promise<void> {
  try {
    await askSocket(homeDir, { method: "enrolDevice", params }, enrolledDeviceSchema);
  } catch (cause) {
    const isRefusal = cause instanceof CliError && ["UNAUTHORIZED", "METHOD_NOT_FOUND"].includes(cause.code);
    throw isRefusal ? refused : cause;
  }
}

/** At most 64 characters, as for every name. */
function deviceName(): string {
  return `${hostname().slice(0, 60) || "terminal"}:cli`;
}

function asFailure(cause: unknown): never {
  if (cause instanceof GatewayError && cause.code === "MISMATCH") {
    throw new CliError("FAILED", cause.message, { cause });
  }
  throw cause;
}
