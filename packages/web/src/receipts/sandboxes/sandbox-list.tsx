import { listSandboxesResultSchema, type SandboxView } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type * as z from "zod";
import { ApiError, useHub } from "../../hub/index.ts";
import { hrefOf } from "../../navigation/index.ts";
import { ago, elide } from "../../text/index.ts";
import { Button, Empty, Notice, nowMs, VisibleText } from "../../ui/index.ts";
import { counted } from "../base/index.ts";
import { gapWords, outsideWords } from "./sandbox-words.ts";
import "./sandboxes.css";

type Page = z.infer<typeof listSandboxesResultSchema>;

/** The recorded sandboxes, newest first. */
export function SandboxList({ open }: { open: string | undefined }): VNode {
  const hub = useHub();
  const [page, setPage] = useState<Page>();
  const [problem, setProblem] = useState<string>();
  const isLive = hub.state.value === "live";
  const load = async (before?: number) => {
    try {
      const next = await hub.api(listSandboxesResultSchema, "GET /api/v1/sandboxes", { query: { before } });
      setPage((known) =>
        before === undefined ? next : { ...next, sandboxes: [...(known?.sandboxes ?? []), ...next.sandboxes] },
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
    <section class="sandboxes" aria-label="Sandboxes">
      {problem && <Notice kind="problem">{problem}</Notice>}
      {page?.sandboxes.length === 0 && (
        <Empty title="No sandbox is on record yet.">
          <p>
            One appears when the proxy in front of its execd reports a call, <code>countersign execd proxy</code>, or an
            observer of its network reports traffic: <code>countersign execd egress</code>.
          </p>
        </Empty>
      )}
      <ol class="sandbox-list">
        {page?.sandboxes.map((sandbox) => (
          <li key={sandbox.id}>
            <Row sandbox={sandbox} isOpen={sandbox.id === open} />
          </li>
        ))}
      </ol>
      {goesOn !== undefined && <Button onClick={() => load(goesOn)}>Earlier ones</Button>}
    </section>
  );
}

function Row({ sandbox, isOpen }: { sandbox: SandboxView; isOpen: boolean }): VNode {
  const { id, receipts, lastAtMs } = sandbox;
  const gaps = gapWords(sandbox);
  return (
    <a
      class="chain-row sandbox-row"
      href={hrefOf("receipts", ["sandbox", id])}
      aria-current={isOpen ? "true" : undefined}
    >
      <span class="chain-name">
        <VisibleText text={elide(id, 60)} />
      </span>
      <span class="chain-age quiet small">{ago(lastAtMs, nowMs.value)}</span>
      <span class="sandbox-facts quiet small">
        {[counted(receipts, "receipt"), outsideWords(sandbox)].filter(Boolean).join(" · ")}
        {gaps.length > 0 && <strong class="gap-word"> · {gaps.join(" · ")}</strong>}
      </span>
    </a>
  );
}
