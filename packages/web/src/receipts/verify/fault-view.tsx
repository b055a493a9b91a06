import { FAULT_MEANINGS, isToldAfterAll, type RecordVerdict } from "@countersign/receipts";
import type { VNode } from "preact";
import { elide } from "../../text/index.ts";
import { VisibleText } from "../../ui/index.ts";
import { many, shortHash } from "../base/index.ts";
import { lineIn, lineWords } from "../chains/index.ts";
import type { NearReceipt } from "../worker/index.ts";

type Fault = NonNullable<RecordVerdict["fault"]>;

/** Where it breaks and why: the code in plain words, and the receipts around. */
export function FaultView({ fault, near }: { fault: Fault; near: readonly NearReceipt[] }): VNode {
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
      {!isToldAfterAll(fault) && <p class="quiet small">What comes after it wasn’t looked at.</p>}
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
