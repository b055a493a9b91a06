import { FAULT_MEANINGS, isToldAfterAll, type RecordVerdict } from "@countersign/receipts";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { clockTime, duration, elide } from "../../text/index.ts";
import { Button, VisibleText } from "../../ui/index.ts";
import { Copyable, counted, many, shortHash, shortKey } from "../base/index.ts";
import { lineIn, lineWords } from "../chains/index.ts";
import type { NearReceipt, Verified, Vouched } from "../worker/index.ts";
import type { VerifyRun } from "./verify-run.ts";

type Tone = "whole" | "broken" | "unsure";

/** The verdict: a word, its meaning, what it rests on, and what it doesn't prove. */
export function VerdictCard({
  name,
  verified,
  run,
}: {
  name: string | null;
  verified: Verified;
  run: VerifyRun;
}): VNode {
  const { verdict, vouched, tookMs, what } = verified;
  const tone = toneOf(verdict, vouched);
  return (
    <div class={`verdict ${tone}`}>
      <div class="verdict-source">
        <p class="quiet small">
          {name === null ? "The hub’s record" : <VisibleText text={name} />} · {WHAT[what]} ·{" "}
          {counted(verdict.count, "receipt")} in {duration(tookMs)}
        </p>
        <Button kind="plain" onClick={() => run.clear()}>
          Put away
        </Button>
      </div>
      <p class="verdict-word" role="status">
        <strong>{wordOf(verdict, tone)}</strong> {sentenceOf(verdict)}
      </p>
      {verdict.fault === null ? (
        <WholeView verdict={verdict} vouched={vouched} />
      ) : (
        <FaultView fault={verdict.fault} near={verified.near} />
      )}
      {name !== null && vouched.kind === "nobody" && <TrustKey run={run} />}
    </div>
  );
}

const WHAT = { hub: "verified in this browser", lines: "lines of receipts", bundle: "a bundle" } as const;

function toneOf({ whole, fault }: RecordVerdict, { kind }: Vouched): Tone {
  if (fault?.code === "NEWER_VERSION" && kind !== "other") return "unsure";
  if (!whole || kind === "other") return "broken";
  return kind === "nobody" ? "unsure" : "whole";
}

function wordOf({ fault, selection, trusted }: RecordVerdict, tone: Tone): string {
  if (fault?.code === "NEWER_VERSION") return "NEWER THAN THIS VERIFIER";
  if (fault !== null) return "BROKEN";
  if (tone === "broken") return "ANOTHER KEY";
  if (trusted === null && tone === "unsure") return "CONSISTENT, NOT TRUSTED";
  return selection ? "GENUINE" : "WHOLE";
}

function sentenceOf({ fault, selection, count, chains, tree }: RecordVerdict): string {
  if (fault?.code === "BUNDLE_MISMATCH") return "in what the file says of itself.";
  if (fault !== null) return `at receipt ${many(fault.seq)}`;
  if (selection)
    return `${counted(count, "receipt")} of ${many(tree?.size ?? 0)}: every signature and proof of inclusion holds.`;
  return `${counted(count, "receipt")} in ${counted(chains, "chain")}: every signature and link holds.`;
}

function WholeView({ verdict, vouched }: { verdict: RecordVerdict; vouched: Vouched }): VNode {
  const { keys, head, tree, witnessedSize, rotations, epochs, advisories, notProved } = verdict;
  return (
    <>
      <p>
        {vouchedWords(vouched)}
        {witnessedSize > 0 && ` The first ${many(witnessedSize)} are those that it saw before.`}
      </p>
      <details>
        <summary class="fold">Keys, last receipt and tree</summary>
        <dl class="facts">
          {keys.map((key, index) => (
            <div key={key}>
              <dt>{keys.length === 1 ? "Key" : `Key ${index + 1}`}</dt>
              <dd>
                <Copyable text={key} shown={shortKey(key)} label="the key" />
              </dd>
            </div>
          ))}
          {rotations.map(({ index, isCommitted }) => (
            <div key={index}>
              <dt>Key changed</dt>
              <dd>
                at receipt {many(index + 1)}, to one that{" "}
                {isCommitted ? "had been committed to" : "nothing had committed to"}
              </dd>
            </div>
          ))}
          {head !== null && (
            <div>
              <dt>Last receipt</dt>
              <dd>
                <Copyable
                  text={`${head.seq}:${head.hash}`}
                  shown={`${many(head.seq)} · ${head.hash.slice(7, 19)}…`}
                  label="the last receipt"
                />
              </dd>
            </div>
          )}
          {tree !== null && (
            <div>
              <dt>Tree</dt>
              <dd>
                <Copyable
                  text={tree.root}
                  shown={`${many(tree.size)} · ${tree.root.slice(0, 12)}…`}
                  label="the tree’s root"
                />
              </dd>
            </div>
          )}
        </dl>
      </details>
      <WorthALook epochs={epochs} advisories={advisories} />
      <details>
        <summary class="fold">What this doesn’t prove</summary>
        <ul class="sentences">
          {notProved.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </details>
    </>
  );
}

function vouchedWords(vouched: Vouched): string {
  switch (vouched.kind) {
    case "remembered":
      return `Signed by the key that this browser remembers since ${clockTime(vouched.sinceMs, Date.now())}.`;
    case "first":
      return "This browser sees the key for the first time. It is remembered from now on.";
    case "given":
      return "Signed by the key that you gave.";
    case "other":
      return "This isn’t signed by the key that this browser remembers of this hub. Trust nothing it says before you know why.";
    case "nobody":
      return "Nobody here vouches for the key. Anybody can make a key, and a record that fits together.";
  }
}

const ADVICE: Readonly<Record<RecordVerdict["advisories"][number]["code"], string>> = {
  duplicate_idempotency_key: "said twice under one key: a retry, or a repetition",
  incomplete_session: "opened and not closed",
  incomplete_tool_roundtrip: "without an end: still open, or the end is missing",
};
const MOST_ADVICE = 10;

function WorthALook({ epochs, advisories }: Pick<RecordVerdict, "epochs" | "advisories">): VNode | null {
  if (epochs.length + advisories.length === 0) return null;
  const more = advisories.length - MOST_ADVICE;
  return (
    <details open={epochs.length > 0}>
      <summary class="fold">Worth a look ({many(epochs.length + advisories.length)})</summary>
      <ul class="sentences">
        {epochs.map((index) => (
          <li key={index}>
            Receipt {many(index + 1)}: a new epoch. The record was found shorter, or another, than a witness remembered.
          </li>
        ))}
        {advisories.slice(0, MOST_ADVICE).map(({ code, index, subject }) => (
          <li key={`${code} ${index}`}>
            Receipt {many(index + 1)}: <VisibleText text={subject} />, {ADVICE[code]}
          </li>
        ))}
        {more > 0 && <li>and {many(more)} more</li>}
      </ul>
    </details>
  );
}

function TrustKey({ run }: { run: VerifyRun }): VNode {
  const [key, setKey] = useState("");
  return (
    <form
      class="trust"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== "") run.trust(key);
      }}
    >
      <label>
        Were you given the key? <span class="quiet small">did:key, fingerprint or PEM</span>
        <textarea
          rows={2}
          spellcheck={false}
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </label>
      <Button type="submit" disabled={key.trim() === ""}>
        Verify with it
      </Button>
    </form>
  );
}

type Fault = NonNullable<RecordVerdict["fault"]>;

/** The fault: its place, its meaning, and the receipts around it. */
function FaultView({ fault, near }: { fault: Fault; near: readonly NearReceipt[] }): VNode {
  const { code, reason, index, detail, chainId, sequence } = fault;
  return (
    <div class="fault">
      <p>{FAULT_MEANINGS[code]}</p>
      <dl class="facts">
        <div>
          <dt>Code</dt>
          <dd>
            <code>{code}</code> {code !== "BUNDLE_MISMATCH" ? `at index ${many(index)}` : `(${reason})`}
          </dd>
        </div>
        {chainId !== undefined && (
          <div>
            <dt>Chain</dt>
            <dd class="mono">
              <VisibleText text={elide(chainId, 80)} />, {many(sequence ?? 0)}
            </dd>
          </div>
        )}
        <div>
          <dt>Found</dt>
          <dd>
            <VisibleText text={elide(detail, 400)} />
          </dd>
        </div>
      </dl>
      {near.length > 0 && (
        <ol class="near" aria-label="The receipts around it">
          {near.map((receipt) => (
            <Near key={receipt.index} receipt={receipt} isFault={receipt.index === index} />
          ))}
        </ol>
      )}
      {!isToldAfterAll(fault) && <p class="quiet small">The receipts after it weren’t checked.</p>}
    </div>
  );
}

function Near({ receipt: { index, text }, isFault }: { receipt: NearReceipt; isFault: boolean }): VNode {
  const line = lineIn(text, index + 1);
  return (
    <li class={isFault ? "is-fault" : undefined}>
      <details>
        <summary class="near-row">
          <span class="near-seq">{many(index + 1)}</span>
          <span class="near-words">
            {line === null ? "These bytes are no receipt" : <VisibleText text={lineWords(line)} />}
            {isFault && <strong> ← breaks here</strong>}
          </span>
          {line !== null && (
            <span class="near-names quiet small mono">
              names {line.previous === null ? "none" : shortHash(line.previous)}
            </span>
          )}
        </summary>
        <pre class="raw">
          <VisibleText text={text} lines />
        </pre>
      </details>
    </li>
  );
}
