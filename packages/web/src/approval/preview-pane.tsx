import { trialSentence, UNDIFFED_WORDS } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload, FileChange, Preview } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { describeProblem, useHub } from "../hub/index.ts";
import { Button, DiffText, Notice, VisibleText } from "../ui/index.ts";
import "./preview-pane.css";

type State = { kind: "running" } | { kind: "done"; preview: Preview } | { kind: "failed"; why: string };

/** Runs the command in a copy that is thrown away, and shows what it changed there. */
export default function PreviewPane({ card, onClose }: { card: ExecApprovalRequestPayload; onClose(): void }): VNode {
  const hub = useHub();
  const { approvalId } = card;
  const [state, setState] = useState<State>({ kind: "running" });
  useEffect(() => {
    let isOver = false;
    const run = async () => {
      const preview = await hub.request("previewExec", { approvalId, ...(await hub.sign.preview(card)) });
      if (!isOver) setState({ kind: "done", preview });
    };
    run().catch((cause: unknown) => {
      if (!isOver) setState({ kind: "failed", why: describeProblem(cause) });
    });
    return () => {
      isOver = true;
      // The preview may have finished already.
      hub.request("cancelPreview", { approvalId }).catch(() => undefined);
    };
  }, [approvalId]);
  return (
    <section class="preview" aria-label="Preview">
      <div class="preview-head">
        <h3>Preview</h3>
        <Button kind="plain" onClick={onClose}>
          {state.kind === "running" ? "Stop" : "Close"}
        </Button>
      </div>
      {state.kind === "running" && <p role="status">Trying it out; its changes are discarded…</p>}
      {state.kind === "failed" && <Notice kind="problem">{state.why}</Notice>}
      {state.kind === "done" && <Done preview={state.preview} cwd={card.cwd} />}
    </section>
  );
}

function Done({ preview, cwd }: { preview: Preview; cwd: string | undefined }): VNode {
  const { outcome, counts, how, changes, truncated } = preview;
  return (
    <>
      <p role="status">
        {trialSentence(outcome)}
        {outcome.reason !== undefined && (
          <>
            {" "}
            <VisibleText text={outcome.reason} />
          </>
        )}
        {how !== undefined &&
          (counts.created + counts.changed + counts.deleted === 0
            ? " It would change nothing."
            : ` It would create ${counts.created}, change ${counts.changed} and delete ${counts.deleted}.`)}
      </p>
      {changes.map((change) => (
        <Change key={change.path} change={change} cwd={cwd} />
      ))}
      {truncated && <p class="quiet">There is more than is listed here.</p>}
      <Printed name="It printed" text={outcome.stdout} />
      <Printed name="To its error stream" text={outcome.stderr} />
    </>
  );
}

function Change({ change, cwd }: { change: FileChange; cwd: string | undefined }): VNode {
  const { path, diff, undiffed } = change;
  const inside = cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  return (
    <details class="change" open={diff !== undefined}>
      <summary>
        <span class={`change-kind ${change.change}`}>{change.change}</span>{" "}
        <code>
          <VisibleText text={inside} />
        </code>
        {undiffed !== undefined && <span class="quiet"> ({UNDIFFED_WORDS[undiffed]})</span>}
      </summary>
      {diff !== undefined && <DiffText diff={diff} />}
    </details>
  );
}

function Printed({ name, text }: { name: string; text: string | undefined }): VNode | null {
  if (!text) return null;
  return (
    <details class="change">
      <summary>{name}</summary>
      <pre class="printed">
        <VisibleText text={text} lines />
      </pre>
    </details>
  );
}
