import { inclusionProofSchema } from "@countersign/protocol/records";
import { type LedgerProof, readProof } from "@countersign/receipts";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub } from "../../hub/index.ts";
import { hrefOf } from "../../navigation/index.ts";
import { clockTime } from "../../text/index.ts";
import { Button, VisibleText } from "../../ui/index.ts";
import { Copyable, many, ProofView, shortHash, useProof } from "../base/index.ts";
import { lineWords, type ShownLine } from "./line-words.ts";

/** A receipt and its link to the previous one; all of it when opened. `previous`: the hash of the receipt before it. */
export function ReceiptRow({ line, raw, previous }: { line: ShownLine; raw: unknown; previous: string | null }): VNode {
  const [isOpen, setOpen] = useState(false);
  const isLinked = line.previous === previous;
  return (
    <li class={isLinked ? undefined : "is-unlinked"}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="receipt-row">
          <span class="receipt-seq quiet">{many(line.sequence)}</span>
          <span class="receipt-words">
            <VisibleText text={lineWords(line)} />
            {!isLinked && <strong class="unlinked-word"> Doesn’t name the one before it</strong>}
          </span>
          <span class="receipt-risk small">{line.riskLevel}</span>
          <span class="receipt-time quiet small">{clockTime(Date.parse(line.at), Date.now())}</span>
          <span class="receipt-hash quiet small mono">
            {line.previous === null ? "begins" : shortHash(line.previous)} → {shortHash(line.hash)}
          </span>
        </summary>
        {isOpen && <Opened line={line} raw={raw} />}
      </details>
    </li>
  );
}

function Opened({ line, raw }: { line: ShownLine; raw: unknown }): VNode {
  const hub = useHub();
  const { proof, prove } = useProof();
  const ask = async (): Promise<LedgerProof | null> =>
    readProof(await hub.api(inclusionProofSchema, "GET /api/v1/receipts/:id/proof", { params: { id: `${line.seq}` } }));
  return (
    <div class="receipt-open">
      <dl class="facts">
        <Fact name="Hash" text={line.hash} />
        {line.previous !== null && <Fact name="Names" text={line.previous} />}
        <Fact name="Id" text={line.id} />
        <div>
          <dt>In the record</dt>
          <dd>{many(line.seq)}</dd>
        </div>
      </dl>
      <div class="verify-actions">
        <a href={hrefOf("story", [line.hash])}>Story</a>
        <Button kind="plain" onClick={() => prove(ask)}>
          Prove that it is in the record
        </Button>
      </div>
      <ProofView proof={proof} seq={line.seq} />
      <details>
        <summary class="fold">All that it says</summary>
        <pre class="raw">
          <VisibleText text={JSON.stringify(raw, null, 2)} lines />
        </pre>
      </details>
    </div>
  );
}

function Fact({ name, text }: { name: string; text: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Copyable text={text} shown={text.length > 40 ? `${text.slice(0, 24)}…` : text} label={name.toLowerCase()} />
      </dd>
    </div>
  );
}
