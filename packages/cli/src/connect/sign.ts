import { hostname } from "node:os";
import {
  type Answer,
  type ApprovalDecision,
  type DecisionToSign,
  type ExecApprovalRequestPayload,
  enrolledDeviceSchema,
  type LateAnswerWish,
  makeNonce,
  type PreviewWish,
  proposalHashOf,
  REDACTION_MARK,
  signDecision,
} from "@countersign/sdk";
import { CliError } from "../cli-error.ts";
import { type GlobalOptions, homeDirOf } from "../settings.ts";
import { whyUnchecked } from "../show/why-unchecked.ts";
import { type CliDevice, openDevice } from "./device-key.ts";
import type { HttpHub } from "./find-hub.ts";
import { callHttp } from "./http.ts";

/** What a person decided. */
export interface PlainAnswer {
  readonly decision: ApprovalDecision;
  readonly reason?: string | undefined;
  /** With `allow-always`: how far it goes. */
  readonly scope?: string | undefined;
  /** To run it in another jail than the card says. */
  readonly jail?: Answer["jail"];
  /** Of identical ones that wait, how many it allows. */
  readonly times?: number | undefined;
  /** What is to run instead. */
  readonly command?: string | undefined;
}

/** Turns what they decided, and the card that they were shown, into what is sent. */
export interface Signer {
  answer(card: ExecApprovalRequestPayload, answer: PlainAnswer): Promise<Answer>;
  /** That it be tried out first. */
  preview(card: ExecApprovalRequestPayload): Promise<PreviewWish>;
  /** That it be allowed if it asks again, after it has expired. */
  late(card: ExecApprovalRequestPayload): Promise<LateAnswerWish>;
}

type Decided = Omit<DecisionToSign, "nonce">;

/**
 * Signs with the home's device key, which the hub is told of first. Where there's no key to use (a hub elsewhere, and a
 * home without one) or the hub doesn't know of keys yet, the answer goes as it is, and counts as much as the token.
 */
export async function signerFor(hub: HttpHub, options: GlobalOptions): Promise<Signer> {
  const signature = await signatureFor(hub, options);
  const sign = async (
    card: ExecApprovalRequestPayload,
    decided: Omit<Decided, "approvalId" | "proposalHash">,
    command?: string,
  ) => {
    const checked = await checkHash(card);
    const proposalHash = command === undefined ? checked : await editedHash(card, command);
    return (await signature?.({ approvalId: card.approvalId, proposalHash, ...decided })) ?? {};
  };
  return {
    answer: async (card, answer) => {
      const { decision, scope, jail, times } = answer;
      return { ...answer, ...(await sign(card, { decision, scope, jail, times }, answer.command)) };
    },
    preview: (card) => sign(card, { decision: "preview" }),
    late: (card) => sign(card, { decision: "allow-if-asks-again" }),
  };
}

/** What makes the signature of a decision; undefined where there's no key to use. */
export async function signatureFor(
  hub: HttpHub,
  options: GlobalOptions,
): Promise<((toSign: Decided) => Promise<Signature>) | undefined> {
  const device = await openDevice(homeDirOf(options), { token: hub.token, make: options.url === undefined });
  if (!device || !(await enrol(hub, device))) return undefined;
  const { keyId, privateKey } = device.key;
  return async (toSign) => {
    const nonce = makeNonce();
    return { nonce, keyId, signature: await signDecision({ ...toSign, nonce }, privateKey) };
  };
}

type Signature = Required<Pick<Answer, "nonce" | "keyId" | "signature">>;

/** False when the hub is older than signed decisions. To be told of a device again changes nothing. */
async function enrol(hub: HttpHub, { deviceId, key }: CliDevice): Promise<boolean> {
  const body = { deviceId, name: deviceName(), publicKey: key.publicKey };
  try {
    await callHttp(hub, { method: "POST", path: "/api/v1/devices", body }, enrolledDeviceSchema);
    return true;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "METHOD_NOT_FOUND") return false;
    throw cause;
  }
}

/** At most 64 characters, as for every name. */
function deviceName(): string {
  return `${hostname().slice(0, 60) || "terminal"}:cli`;
}

/** Of what was written, in the directory and environment that were shown. */
async function editedHash(card: ExecApprovalRequestPayload, command: string): Promise<string> {
  const { cwd = "", env } = card;
  if (JSON.stringify([cwd, env]).includes(REDACTION_MARK)) {
    const why = "Something in its directory or environment is hidden, so what you wrote can't be signed";
    throw new CliError("FAILED", `${why}. Allow or deny it as it is.`);
  }
  return await proposalHashOf({ command, cwd, env });
}

/**
 * The hash of what was shown. Where a secret was hidden from the screen, or the question isn't about a command, it can't
 * be computed from there, and the card's own is taken; `whyUnchecked` is what the person is told then.
 */
export async function checkHash(card: ExecApprovalRequestPayload): Promise<string> {
  const { command, cwd, env, proposalHash } = card;
  if (cwd === undefined || whyUnchecked(card) !== undefined) return proposalHash;
  if ((await proposalHashOf({ command, cwd, env })) === proposalHash) return proposalHash;
  const why = "The hub's hash is of another command, directory or environment";
  throw new CliError("FAILED", `What was shown isn't what would run, so nothing was answered. ${why}.`);
}
