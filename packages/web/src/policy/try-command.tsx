import { RISK_WORDS, riskWord } from "@countersign/protocol/describe";
import type { PolicyPage } from "@countersign/protocol/policy";
import { explanationSchema, type WireExplanation } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useHub, useQuery } from "../hub/index.ts";
import { CommandText, EffectsList } from "../proposals/index.ts";
import { Button, Notice, useKeys, VisibleText } from "../ui/index.ts";
import { AddDialog } from "./add-dialog.tsx";
import "./try-command.css";

const PAUSE_MS = 120;
const nothing = () => undefined;

const VERDICT_WORDS = { allow: "Runs without asking", ask: "Asks you", deny: "Denied" } as const;

interface Props {
  page: PolicyPage;
  /** The number of the policy's reload: after another one, the answer may differ. */
  loads: number;
  /** Reports the entries that decided. */
  onDecided(entryIds: readonly string[]): void;
  onChange(message: string): void;
}

/** Classifies a command as it is typed. Nothing is proposed, run or recorded. */
export function TryCommand({ page, loads, onDecided, onChange }: Props): VNode {
  const hub = useHub();
  const [command, setCommand] = useState("");
  const [isAdding, setAdding] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useKeys({ t: () => box.current?.focus() });
  const { profile, cwd } = page;
  const about = command.trim() === "" ? undefined : JSON.stringify([command, profile, cwd, loads]);
  const { answer, problem, isLooking } = useQuery(
    about,
    (signal) => hub.api(explanationSchema, "POST /api/v1/explain", { body: { command, cwd, profile }, signal }),
    { pauseMs: PAUSE_MS },
  );
  const ids = answer?.decision.entryIds.join("\n") ?? "";
  useEffect(() => onDecided(ids === "" ? [] : ids.split("\n")), [ids]);
  return (
    <section class="policy-part policy-try" aria-labelledby="try-title">
      <h2 id="try-title">Try a command</h2>
      <textarea
        class="mono"
        ref={box}
        aria-keyshortcuts="t"
        aria-labelledby="try-title"
        rows={Math.min(8, command.split("\n").length)}
        value={command}
        maxLength={65_536}
        placeholder="rm -rf build && git push"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="none"
        onInput={(event) => setCommand(event.currentTarget.value)}
      />
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      <div class={`policy-tried ${isLooking ? "is-looking" : ""}`} aria-live="polite" aria-busy={isLooking}>
        {answer !== undefined && <Tried explanation={answer} onAdd={() => setAdding(true)} />}
        {about === undefined && (
          <p class="quiet small">Shows whether it would run, and why. Nothing is run or recorded.</p>
        )}
      </div>
      {isAdding && (
        <AddDialog
          page={page}
          command={command}
          onClose={(message) => {
            setAdding(false);
            if (message !== undefined) onChange(message);
          }}
        />
      )}
    </section>
  );
}

function Tried({ explanation, onAdd }: { explanation: WireExplanation; onAdd(): void }): VNode {
  const { decision, riskLevel, inJail, enforcement, always } = explanation;
  return (
    <>
      <p class={`policy-verdict ${decision.verdict}`}>
        <strong>{VERDICT_WORDS[decision.verdict]}</strong>{" "}
        <span class={`policy-risk ${riskLevel}`}>{riskWord(riskLevel)}</span>
      </p>
      <p>
        <VisibleText text={decision.reason} />.
      </p>
      {riskLevel !== "safe" && <CommandText card={{ ...explanation, subject: "exec" }} onEndSeen={nothing} />}
      {riskLevel !== "safe" && <EffectsList card={explanation} />}
      {inJail !== undefined && enforcement !== "jail" && (
        <p class="quiet">
          In a jail: {VERDICT_WORDS[inJail.verdict].toLowerCase()}, {RISK_WORDS[inJail.riskLevel]}.
        </p>
      )}
      {decision.verdict === "ask" && always?.note === undefined && (always?.entries.length ?? 0) > 0 && (
        <p>
          <Button onClick={onAdd}>Allow commands like this…</Button>
        </p>
      )}
    </>
  );
}
