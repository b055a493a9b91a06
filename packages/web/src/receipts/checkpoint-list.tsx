import { consistencyProofSchema, listCheckpointsResultSchema } from "@countersign/protocol/records";
import { readProof } from "@countersign/receipts";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type * as z from "zod";
import { ApiError, useHub } from "../hub/index.ts";
import { clockTime } from "../text/index.ts";
import { Button, Empty, Notice, VisibleText } from "../ui/index.ts";
import { counted, ProofView, useProof } from "./base/index.ts";

type Page = z.infer<typeof listCheckpointsResultSchema>;
type Checkpoint = Page["checkpoints"][number];

/** The signed checkpoints of the tree, newest first. Each can prove that the record has only grown since. */
export function CheckpointList(): VNode {
  const hub = useHub();
  const [page, setPage] = useState<Page>();
  const [problem, setProblem] = useState<string>();
  const isLive = hub.state.value === "live";
  const load = async (before?: number) => {
    try {
      const next = await hub.api(listCheckpointsResultSchema, "GET /api/v1/checkpoints", { query: { before } });
      setPage((known) =>
        before === undefined ? next : { ...next, checkpoints: [...(known?.checkpoints ?? []), ...next.checkpoints] },
      );
      setProblem(undefined);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProblem(cause.message);
    }
  };
  useEffect(() => {
    load();
  }, [isLive]);
  const goesOn = page?.next;
  return (
    <section class="checkpoints" aria-label="Checkpoints">
      {problem && <Notice kind="problem">{problem}</Notice>}
      {page?.checkpoints.length === 0 && (
        <Empty title="There’s no checkpoint yet.">
          <p>One is made every minute, every 1,000 receipts, and when the hub stops.</p>
        </Empty>
      )}
      <ol class="receipt-list">
        {page?.checkpoints.map((checkpoint) => (
          <Row key={checkpoint.size} checkpoint={checkpoint} isNewest={checkpoint === page.checkpoints[0]} />
        ))}
      </ol>
      {goesOn !== undefined && <Button onClick={() => load(goesOn)}>Earlier ones</Button>}
    </section>
  );
}

function Row({ checkpoint, isNewest }: { checkpoint: Checkpoint; isNewest: boolean }): VNode {
  const { size, root, note, atMs } = checkpoint;
  const hub = useHub();
  const { proof, prove } = useProof();
  const ask = async () =>
    readProof(await hub.api(consistencyProofSchema, "GET /api/v1/receipts/consistency", { query: { from: size } }));
  return (
    <li>
      <details>
        <summary class="receipt-row checkpoint-row">
          <span class="receipt-words">{counted(size, "receipt")}</span>
          <span class="receipt-time quiet small">{clockTime(atMs, Date.now())}</span>
          <span class="receipt-hash quiet small mono">{root.slice(0, 16)}…</span>
        </summary>
        <div class="receipt-open">
          <pre class="raw">
            <VisibleText text={note} lines />
          </pre>
          {isNewest ? (
            <p class="quiet small">The newest: later ones are compared with it.</p>
          ) : (
            <div class="verify-actions">
              <Button onClick={() => prove(ask)}>Prove that the record has only grown since</Button>
            </div>
          )}
          <ProofView proof={proof} />
        </div>
      </details>
    </li>
  );
}
