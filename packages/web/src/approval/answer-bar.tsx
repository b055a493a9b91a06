import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { PlainAnswer } from "@countersign/sdk";
import type { BuiltJail } from "@countersign/vocabulary";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { Button, lazy, useKeys, VisibleText } from "../ui/index.ts";
import type { Answering } from "./use-answer.ts";
import { whyLocked, whyMute } from "./why-locked.ts";

const ConfirmStep = lazy(() => import("./confirm-step.tsx"));
const DenyForm = lazy(() => import("./deny-form.tsx"));
const ScopePicker = lazy(() => import("./scope-picker.tsx"));
const EditForm = lazy(() => import("./edit-form.tsx"));

/** What the bar shows now. */
type Step =
  | { readonly kind: "choose" | "deny" | "edit" | "scopes" }
  /** The second step before a dangerous command is allowed. */
  | { readonly kind: "confirm"; readonly times: number };

interface Props {
  card: ExecApprovalRequestPayload;
  answering: Answering;
  jail: BuiltJail | undefined;
  isEndSeen: boolean;
  /** Whether the card has been unchanged for long enough to be answered. */
  isArmed(): boolean;
  hasKeys: boolean;
}

/** The buttons that answer a card, always in the same place. */
export function AnswerBar({ card, answering, jail, isEndSeen, isArmed, hasKeys }: Props): VNode {
  const hub = useHub();
  const [step, setStep] = useState<Step>({ kind: "choose" });
  const [drafts, setDrafts] = useState(hub.memory.drafts(card.approvalId));
  const { reason = "", command = card.command } = drafts;
  const type = (typed: typeof drafts) => {
    setDrafts((known) => ({ ...known, ...typed }));
    hub.memory.keepDraft(card.approvalId, typed);
  };
  const { isSending } = answering;
  useEffect(() => {
    // Loads the next steps early, so that they open at once. If loading fails here, it is retried when the step opens.
    for (const part of [DenyForm, ConfirmStep]) part.fetch().catch(() => undefined);
  }, []);
  const isLive = hub.state.value === "live";
  const mute = whyMute({ isLive, isSending });
  const locked = whyLocked({ card, isLive, isPaused: hub.info.value?.paused ?? false, isSending, isEndSeen });
  const isExec = card.subject === "exec";
  const { count = 1, riskLevel } = card;

  const give = (answer: PlainAnswer) => {
    if (isArmed() && mute === undefined) void answering.send(answer);
  };
  const allow = (times: number) => {
    if (!isArmed() || locked !== undefined) return;
    if (riskLevel !== "dangerous") giveOnce(times);
    else setStep({ kind: "confirm", times });
  };
  // Read when the answer is given: the person may have chosen another jail since.
  const inJail = jail === undefined ? {} : { jail };
  const giveOnce = (times: number) => give({ decision: "allow-once", ...inJail, ...(times > 1 ? { times } : {}) });
  const go = (kind: "choose" | "deny" | "edit" | "scopes") => {
    if (kind === "choose" || isArmed()) setStep({ kind });
  };
  const whenChoosing = (run: () => void) => (hasKeys && step.kind === "choose" ? run : undefined);
  useKeys(
    {
      a: whenChoosing(() => allow(1)),
      d: whenChoosing(() => go("deny")),
      e: isExec ? whenChoosing(() => go("edit")) : undefined,
      s: isExec ? whenChoosing(() => go("scopes")) : undefined,
      Escape: step.kind === "choose" || !hasKeys ? undefined : () => go("choose"),
    },
    { first: true },
  );
  const cancel = () => go("choose");

  return (
    <footer class="answer-bar">
      {answering.problem && (
        <p class="locked" role="alert">
          <VisibleText text={answering.problem} />
        </p>
      )}
      {step.kind === "choose" && (
        <>
          <div class="bar-row">
            <Button aria-disabled={mute !== undefined} onClick={() => go("deny")} aria-keyshortcuts="d">
              Deny…
            </Button>
            {isExec && (
              <Button aria-disabled={mute !== undefined} onClick={() => go("edit")} aria-keyshortcuts="e">
                {/* The other buttons answer for the proposed command, not for the edited one. */}
                {command === card.command ? "Edit" : "Edit (begun)"}
              </Button>
            )}
            <Button
              kind={riskLevel === "dangerous" ? "danger" : "main"}
              aria-disabled={locked !== undefined}
              aria-describedby="why-locked"
              aria-keyshortcuts="a"
              onClick={() => allow(1)}
            >
              {riskLevel === "dangerous" ? "Review to allow" : count > 1 ? "Allow one" : "Allow once"}
            </Button>
          </div>
          <div class="bar-more">
            <span id="why-locked" class="locked" role="status">
              {locked}
            </span>
            {isExec && count > 1 && (
              <Button kind="plain" aria-disabled={locked !== undefined} onClick={() => allow(count)}>
                Allow all {count}
              </Button>
            )}
            {isExec && (
              <Button
                kind="plain"
                aria-disabled={mute !== undefined}
                onClick={() => go("scopes")}
                aria-keyshortcuts="s"
              >
                Allow more than once ›
              </Button>
            )}
          </div>
        </>
      )}
      {step.kind === "deny" && (
        <DenyForm
          reason={reason}
          onReason={(text) => type({ reason: text })}
          onDeny={() => give({ decision: "deny", ...(reason.trim() === "" ? {} : { reason: reason.trim() }) })}
          onCancel={cancel}
          locked={mute}
        />
      )}
      {step.kind === "confirm" && (
        <ConfirmStep
          card={card}
          what={step.times > 1 ? `all ${step.times}` : "once"}
          onConfirm={() => giveOnce(step.times)}
          onCancel={cancel}
          locked={locked}
        />
      )}
      {step.kind === "edit" && (
        <EditForm
          card={card}
          command={command}
          onCommand={(text) => type({ command: text })}
          onAllow={() => give({ decision: "allow-once", command, ...inJail })}
          onCancel={cancel}
          locked={locked}
        />
      )}
      {step.kind === "scopes" && (
        <ScopePicker
          card={card}
          onAllow={(scope) => give({ decision: "allow-always", scope, ...inJail })}
          onCancel={cancel}
          locked={locked}
        />
      )}
    </footer>
  );
}
