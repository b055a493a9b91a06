import { riskWord } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { BuiltJail } from "@countersign/vocabulary";
import type { ComponentChildren, VNode } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Card, describeProblem, useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { CommandText, EffectsList, useEndSeen } from "../proposals/index.ts";
import { Button, Countdown, lazy, Notice, useKeys, VisibleText } from "../ui/index.ts";
import { AnswerBar } from "./answer-bar.tsx";
import { CardOrigin, JailLine, OtherFacts } from "./card-facts.tsx";
import { useAnswer } from "./use-answer.ts";
import "./approval.css";

const PreviewPane = lazy(() => import("./preview-pane.tsx"));
const DiffText = lazy(() => import("../ui/diff-text.tsx"));
const PolicyEffects = lazy(() => import("../policy/newly-allowed.tsx"));
const SimilarDecisions = lazy(() => import("./similar-decisions.tsx"));
const EndedCard = lazy(() => import("./ended-card.tsx"));

interface Props {
  card: Card;
  /** Shown below the card after it is answered. */
  next?: ComponentChildren;
  /** The card is one of several things on the page: it has no keyboard shortcuts and doesn't take the focus. */
  isInline?: boolean;
}

/** Shows one approval with its answer buttons, then how it ended. */
export function ApprovalCard({ card, next, isInline = false }: Props): VNode {
  const { shown, reveal, problem } = useRevealed(card.payload);
  const { end } = card;
  const answering = useAnswer(shown);
  // Everything shown on the card except its deadline, which doesn't change what is asked.
  const version = useMemo(() => JSON.stringify({ ...shown, expiresAtMs: 0 }), [shown]);
  const [seen, setSeen] = useState<string>();
  const onEndSeen = useCallback(() => setSeen(version), [version]);
  const [jail, setJail] = useState<BuiltJail>();
  const isArmed = useArmed([version, jail, end?.kind].join(" "));
  const isEndSeen = seen === version;
  const [isPreviewed, setPreviewed] = useState(false);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Loads the end state early, so that it can be announced at once. If loading fails here, it is retried when the card ends.
    EndedCard.fetch().catch(() => undefined);
  }, []);
  useEffect(() => {
    // On a phone the card covers the element that had the focus.
    if (!isInline && matchMedia("(max-width: 47.99rem)").matches) head.current?.focus();
  }, []);
  const isExec = shown.subject === "exec";
  const canPreview = isExec && shown.enforcement === "jail" && end === undefined;
  const preview = () => {
    if (isArmed()) setPreviewed(true);
  };
  useKeys({ v: canPreview && !isInline ? preview : undefined });
  return (
    <article class={`approval ${shown.riskLevel} ${isInline ? "inline" : ""}`} aria-label="Approval">
      <header class="approval-head">
        <a class="back" href={hrefOf("inbox")}>
          ‹ Inbox
        </a>
        <h2 class={`risk ${shown.riskLevel}`} tabIndex={-1} ref={head}>
          {riskWord(shown.riskLevel)}
        </h2>
        {shown.count !== undefined && <span class="same">×{shown.count} same question</span>}
        <span class="expires">
          {end === undefined && (
            <>
              expires <Countdown untilMs={shown.expiresAtMs} />
            </>
          )}
        </span>
      </header>
      <div class="approval-body">
        <CardOrigin card={shown} />
        <CommandText card={shown} onEndSeen={isExec ? onEndSeen : noEnd} />
        {shown.diff !== undefined && <DiffText diff={shown.diff} />}
        {isExec ? (
          <EffectsList card={shown} />
        ) : (
          <PolicyEffects card={shown} end={<PolicyEnd onEndSeen={onEndSeen} />} />
        )}
        <dl class="facts">
          <OtherFacts card={shown} onReveal={end === undefined ? reveal : undefined} />
          {isExec && (
            <JailLine
              card={shown}
              chosen={jail}
              onChoose={end === undefined && shown.enforcement === "jail" ? setJail : undefined}
            />
          )}
          {isExec && end === undefined && <SimilarDecisions approvalId={shown.approvalId} />}
        </dl>
        {problem && (
          <Notice kind="problem">
            <VisibleText text={problem} />
          </Notice>
        )}
        {canPreview &&
          (isPreviewed ? (
            <PreviewPane card={shown} onClose={() => setPreviewed(false)} />
          ) : (
            <p>
              <Button onClick={preview} aria-keyshortcuts="v">
                Preview changes
              </Button>
            </p>
          ))}
      </div>
      {end === undefined ? (
        <AnswerBar
          key={`${shown.approvalId} ${shown.riskLevel}`}
          card={shown}
          answering={answering}
          jail={jail}
          isEndSeen={isEndSeen}
          isArmed={isArmed}
          hasKeys={!isInline}
        />
      ) : (
        <footer class="answer-bar">
          <EndedCard card={shown} end={end} answering={answering} looked={{ isEndSeen, isArmed }} />
          {next}
        </footer>
      )}
    </article>
  );
}

function noEnd(): void {
  // For a policy change, the end that must be seen is that of the list of effects.
}

/** Marks the end of the list of what a policy change would allow. */
function PolicyEnd({ onEndSeen }: { onEndSeen(): void }): VNode {
  return <span ref={useEndSeen(onEndSeen)} />;
}

/** The card with its secrets revealed, after the person asked for that. */
function useRevealed(card: ExecApprovalRequestPayload) {
  const hub = useHub();
  const [revealed, setRevealed] = useState<ExecApprovalRequestPayload>();
  const [problem, setProblem] = useState<string>();
  const reveal = () => {
    hub.request("revealExecApproval", { approvalId: card.approvalId }).then(setRevealed, (cause: unknown) => {
      setProblem(describeProblem(cause));
    });
  };
  const { count: _, ...rest } = revealed ?? card;
  const shown = revealed === undefined ? card : { ...rest, ...(card.count === undefined ? {} : { count: card.count }) };
  return { shown, reveal, problem };
}

/** A click or key press that was meant for the previous content of the card arrives within this time. */
const ARMING_MS = 400;

/**
 * Returns a function that says whether the card has been unchanged for long enough to be answered. Focusing the window starts over, because
 * that click isn't an answer. A function, so that nothing is redrawn when the time has passed.
 */
function useArmed(version: string): () => boolean {
  const changedAt = useRef(performance.now());
  const known = useRef(version);
  if (known.current !== version) {
    known.current = version;
    changedAt.current = performance.now();
  }
  useEffect(() => {
    const begin = () => {
      changedAt.current = performance.now();
    };
    addEventListener("focus", begin);
    document.addEventListener("visibilitychange", begin);
    return () => {
      removeEventListener("focus", begin);
      document.removeEventListener("visibilitychange", begin);
    };
  }, []);
  return useCallback(() => performance.now() - changedAt.current >= ARMING_MS, []);
}
