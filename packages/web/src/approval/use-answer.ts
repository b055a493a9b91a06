import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { PlainAnswer } from "@countersign/sdk";
import { useState } from "preact/hooks";
import { describeProblem, useHub } from "../hub/index.ts";

export interface Answering {
  readonly isSending: boolean;
  readonly problem: string | undefined;
  /** Signs the answer over what is displayed, and sends it. It counts when the hub confirms it. */
  send(answer: PlainAnswer): Promise<boolean>;
  /** Allows an expired command once if it is retried. */
  sendLate(): Promise<boolean>;
}

export function useAnswer(card: ExecApprovalRequestPayload): Answering {
  const hub = useHub();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { approvalId } = card;
  const during = async (work: () => Promise<void>) => {
    if (isSending) return false;
    setSending(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (cause) {
      setProblem(describeProblem(cause));
      return false;
    } finally {
      setSending(false);
    }
  };
  return {
    isSending,
    problem,
    send: (answer) =>
      during(async () => {
        const signed = await hub.sign.answer(card, answer);
        hub.memory.answered(approvalId, {
          answer,
          result: await hub.request("resolveExecApproval", { approvalId, ...signed }),
        });
      }),
    sendLate: () =>
      during(async () => {
        const signed = await hub.sign.late(card);
        const { expiresAtMs } = await hub.request("allowIfAsksAgain", { approvalId, ...signed });
        hub.memory.allowedLate(approvalId, expiresAtMs);
      }),
  };
}
