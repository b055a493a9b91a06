import { isUnexplained, sandboxStepNotes, sandboxStepWords } from "@countersign/protocol/describe";
import type { SandboxStep } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { hrefOf } from "../../navigation/index.ts";
import { clockTime } from "../../text/index.ts";
import { VisibleText } from "../../ui/index.ts";
import { Copyable, many, shortHash } from "../base/index.ts";

/** A step in a sandbox: the call and its outcome. Opened: its hashes and its receipt. */
export function StepRow({ step }: { step: SandboxStep }): VNode {
  const [isOpen, setOpen] = useState(false);
  const notes = sandboxStepNotes(step);
  const failed = step.kind === "action" && step.status === "failure";
  const route = step.kind === "action" ? step.route : null;
  const toLookAt = step.kind === "gap" || step.kind === "unwatched" || isUnexplained(step);
  return (
    <li class={toLookAt ? "is-gap" : undefined}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="receipt-row step-row">
          <span class="receipt-seq quiet">{many(step.place)}</span>
          <span class={`receipt-words ${failed ? "is-failed" : ""} ${route === null ? "is-wide" : ""}`}>
            {isUnexplained(step) && <strong class="gap-word">Unexplained. </strong>}
            <VisibleText text={sandboxStepWords(step)} />
            {notes.length > 0 && (
              <span class="step-notes quiet small">
                <VisibleText text={notes.join(" · ")} />
              </span>
            )}
          </span>
          {route !== null && (
            <span class="step-route small mono">
              <VisibleText text={route} />
            </span>
          )}
          <span class="receipt-time quiet small">{clockTime(Date.parse(step.happenedAt), Date.now())}</span>
        </summary>
        {isOpen && <Opened step={step} />}
      </details>
    </li>
  );
}

function Opened({ step }: { step: SandboxStep }): VNode {
  const { chainId, sequence, seq, hash } = step;
  const facts = factsOf(step);
  return (
    <div class="receipt-open">
      <dl class="facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {text.startsWith("sha256:") ? (
                <Copyable text={text} shown={`sha256:${shortHash(text)}…`} label={name.toLowerCase()} />
              ) : (
                <VisibleText text={text} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div class="verify-actions">
        <a href={hrefOf("receipts", ["chain", chainId], { after: `${sequence - 1}` })}>
          Receipt {many(seq)} on its chain
        </a>
        <a href={hrefOf("story", [hash])}>Check it</a>
      </div>
    </div>
  );
}

function factsOf(step: SandboxStep): readonly (readonly [string, string])[] {
  const { at, happenedAt, emittedAt, hash, risk, attestation, placement } = step;
  const facts: readonly (readonly [string, string | null])[] = [
    ...("parametersHash" in step
      ? ([
          ["Action", step.type],
          ["Went in", step.parametersHash],
          ["Came out", step.responseHash],
          ["Belongs to", step.correlation],
          ["Enforcement", step.enforcement],
        ] as const)
      : []),
    ["Placement", placement],
    ["Risk", risk],
    ["Attestation", attestation],
    ["Began", happenedAt],
    ...(step.kind === "flow" ? ([["Ended", step.endedAt]] as const) : []),
    ["Reported at", emittedAt],
    ["Recorded", at],
    ["Receipt", hash],
  ];
  return facts.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
}
