import { riskWord } from "@countersign/protocol/describe";
import { type ExecApprovalRequestPayload, explanationSchema } from "@countersign/protocol/proposals";
import { REDACTION_MARK, visibleLines } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type * as z from "zod";
import { useHub, useQuery } from "../hub/index.ts";
import { ScriptTexts, sentencesOf } from "../proposals/index.ts";
import { Button, HoldButton, VisibleText } from "../ui/index.ts";

type Explained = { kind: "known"; explanation: z.infer<typeof explanationSchema> } | { kind: "unknown"; why: string };

const PAUSE_MS = 300;
const MOST_SENTENCES = 5;

interface Props {
  card: ExecApprovalRequestPayload;
  command: string;
  onCommand(command: string): void;
  onAllow(): void;
  onCancel(): void;
  locked: string | undefined;
}

/** Replaces the proposed command once. Shows what the new command would do before it can be allowed. */
export default function EditForm({ card, command, onCommand, onAllow, onCancel, locked }: Props): VNode {
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => text.current?.focus(), []);
  const explained = useExplained(card, command);
  const why = locked ?? whyNot(card, command) ?? (explained === undefined ? "" : undefined);
  // An unknown risk counts as dangerous.
  const isDangerous =
    card.riskLevel === "dangerous" || explained?.kind !== "known" || explained.explanation.riskLevel === "dangerous";
  const allow = () => {
    if (why === undefined) onAllow();
  };
  const label = card.runBy === "agent" ? "Have it propose this" : "Allow this once";
  return (
    <fieldset class="edit" aria-label="Edit and allow">
      <label>
        <span class="small quiet">
          {card.runBy === "agent" ? (
            <>
              <VisibleText text={card.agentName} /> is told to propose exactly this; it is permitted once, for 10 min
            </>
          ) : (
            "The command that runs instead, in the same directory"
          )}
        </span>
        <textarea
          ref={text}
          class="line mono"
          rows={Math.min(8, command.split("\n").length + 1)}
          value={command}
          maxLength={65_536}
          spellcheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onInput={({ currentTarget }) => onCommand(currentTarget.value)}
        />
      </label>
      {hasUnseen(command) && (
        <>
          <p class="small quiet">The command with invisible characters shown:</p>
          <pre class="small">
            <VisibleText text={command} lines />
          </pre>
        </>
      )}
      <div class="trial" role="status">
        <ExplainedWords explained={explained} />
      </div>
      <div class="bar-row">
        <Button onClick={onCancel}>Back</Button>
        {isDangerous ? (
          <HoldButton onHeld={allow} disabled={why !== undefined}>
            Hold to allow this once
          </HoldButton>
        ) : (
          <Button kind="main" aria-disabled={why !== undefined} onClick={allow}>
            {label}
          </Button>
        )}
      </div>
      {why && <p class="locked">{why}</p>}
    </fieldset>
  );
}

/** Whether a text field would hide or reorder some of the command; a card names such characters. */
function hasUnseen(command: string): boolean {
  return visibleLines(command).join("\n") !== command;
}

function whyNot(card: ExecApprovalRequestPayload, command: string): string | undefined {
  if (command.trim() === "") return "There’s nothing to run.";
  if (command.includes(REDACTION_MARK)) return "It contains a redacted secret: reveal the card first, then edit it.";
  return command === card.command ? "It is the proposed command: edit it, or go back and allow it." : undefined;
}

function ExplainedWords({ explained }: { explained: Explained | undefined }): VNode {
  if (explained === undefined) return <p class="quiet">Checking what it would do…</p>;
  if (explained.kind === "unknown")
    return (
      <p class="locked">
        <VisibleText text={explained.why} />
      </p>
    );
  const { riskLevel } = explained.explanation;
  const sentences = sentencesOf(explained.explanation);
  return (
    <>
      <p class={`risk ${riskLevel}`}>{riskWord(riskLevel)}</p>
      <ul class="bullets">
        {sentences.slice(0, MOST_SENTENCES).map(({ sentence, risk, scripts }) => (
          <li key={sentence} class={risk}>
            <VisibleText text={sentence} />
            <ScriptTexts scripts={scripts} />
          </li>
        ))}
        {sentences.length > MOST_SENTENCES && <li class="quiet">and {sentences.length - MOST_SENTENCES} more</li>}
      </ul>
    </>
  );
}

/** The hub's classification of the edited command; undefined until it answers. */
function useExplained({ cwd, env }: ExecApprovalRequestPayload, command: string): Explained | undefined {
  const hub = useHub();
  const body = { command, env, ...(cwd === undefined ? {} : { cwd }) };
  const { answer, problem, isLooking } = useQuery(
    command.trim() === "" ? undefined : JSON.stringify(body),
    (signal) => hub.api(explanationSchema, "POST /api/v1/explain", { body, signal }),
    { pauseMs: PAUSE_MS },
  );
  if (isLooking) return undefined;
  if (problem !== undefined) return { kind: "unknown", why: problem };
  return answer && { kind: "known", explanation: answer };
}
