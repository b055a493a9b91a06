import { explainUnverified } from "@countersign/protocol/describe";
import type {
  AllowExpiredApproval,
  Answer,
  ExecApprovalRequestPayload,
  PreviewWish,
} from "@countersign/protocol/proposals";
import { proposalHashOf, REDACTION_MARK } from "@countersign/protocol/text";
import type { ApprovalDecision } from "@countersign/vocabulary";
import { GatewayError } from "../errors/index.ts";
import type { DeviceKey } from "./device-key.ts";
import { type DecisionToSign, makeNonce, signDecision } from "./sign-decision.ts";

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
export interface CardSigner {
  answer(card: ExecApprovalRequestPayload, answer: PlainAnswer): Promise<Answer>;
  /** That it be tried out first. */
  preview(card: ExecApprovalRequestPayload): Promise<PreviewWish>;
  /** That it be allowed if it asks again, after it has expired. */
  late(card: ExecApprovalRequestPayload): Promise<AllowExpiredApproval>;
}

export type Decided = Omit<DecisionToSign, "nonce">;
export type DecisionSignature = Required<Pick<Answer, "nonce" | "keyId" | "signature">>;

/** With a key of this device. Without one the answers go as they are, and count as much as the token. */
export function cardSigner(key: Pick<DeviceKey, "keyId" | "privateKey"> | undefined): CardSigner {
  const sign = async (
    card: ExecApprovalRequestPayload,
    decided: Omit<Decided, "approvalId" | "proposalHash">,
    command?: string,
  ) => {
    const checked = await shownHash(card);
    const proposalHash = command === undefined ? checked : await editedHash(card, command);
    return key === undefined ? {} : await signFresh({ approvalId: card.approvalId, proposalHash, ...decided }, key);
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

/** Signed with a nonce of its own. */
export async function signFresh(
  decided: Decided,
  { keyId, privateKey }: Pick<DeviceKey, "keyId" | "privateKey">,
): Promise<DecisionSignature> {
  const nonce = makeNonce();
  return { nonce, keyId, signature: await signDecision({ ...decided, nonce }, privateKey) };
}

/** Of what was written, in the directory and environment that were shown. */
async function editedHash(card: ExecApprovalRequestPayload, command: string): Promise<string> {
  const { cwd = "", env } = card;
  if (JSON.stringify([cwd, env]).includes(REDACTION_MARK)) {
    const why = "Something in its directory or environment is hidden, so what you wrote can't be signed";
    throw new GatewayError("MISMATCH", `${why}. Allow or deny it as it is.`);
  }
  return await proposalHashOf({ command, cwd, env });
}

/**
 * The hash of what was shown. Where a secret was hidden from the screen, or the question isn't about a command, it can't
 * be computed from there, and the card's own is taken; `explainUnverified` is what the person is told then.
 */
export async function shownHash(card: ExecApprovalRequestPayload): Promise<string> {
  const { command, cwd, env, proposalHash } = card;
  if (cwd === undefined || explainUnverified(card) !== undefined) return proposalHash;
  if ((await proposalHashOf({ command, cwd, env })) === proposalHash) return proposalHash;
  const why = "The hub's hash is of another command, directory or environment";
  throw new GatewayError("MISMATCH", `What was shown isn't what would run, so nothing was answered. ${why}.`);
}
