import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useHub } from "../../hub/index.ts";
import { duration } from "../../text/index.ts";
import { Button, Notice, VisibleText } from "../../ui/index.ts";
import { counted, Download, many } from "../base/index.ts";
import { VerdictCard } from "./verdict-card.tsx";
import { type RunState, type VerifyRun, verifyRunOf } from "./verify-run.ts";
import "./verify.css";

/** Verifies the hub's record or a file, in this browser. */
export function VerifyPanel({ receipts }: { receipts: number | undefined }): VNode {
  const run = verifyRunOf(useHub());
  const state = run.state.value;
  return (
    <section class="verify" aria-labelledby="verify-title">
      <h2 id="verify-title" class="heard">
        Verify
      </h2>
      <div class="verify-actions">
        <Button kind="main" disabled={state.kind === "running"} onClick={() => run.verifyHub()}>
          Verify the record
        </Button>
        <FileButton run={run} />
        <Download receipts={receipts} />
      </div>
      <Outcome state={state} run={run} />
    </section>
  );
}

function FileButton({ run }: { run: VerifyRun }): VNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>Verify a file…</Button>
      <input
        ref={input}
        hidden
        type="file"
        aria-label="A bundle, or lines of receipts"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) run.verifyFile(file);
          // Lets the same file be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

function Outcome({ state, run }: { state: RunState; run: VerifyRun }): VNode {
  switch (state.kind) {
    case "idle":
      return (
        <p class="quiet small">
          Every signature, link and checkpoint is checked in this browser, from the bytes as they were signed. A file
          that you drop here isn’t sent anywhere.
        </p>
      );
    case "running":
      return <Running state={state} run={run} />;
    case "stopped":
      return <p role="status">Stopped after {counted(state.count, "receipt")}. There is no verdict.</p>;
    case "failed":
      return (
        <Notice kind="problem">
          {state.name !== null && (
            <>
              <VisibleText text={state.name} />:{" "}
            </>
          )}
          {state.message}
        </Notice>
      );
    case "done":
      return <VerdictCard name={state.name} verified={state.verified} run={run} />;
  }
}

function Running({ state, run }: { state: Extract<RunState, { kind: "running" }>; run: VerifyRun }): VNode {
  const { count, of, fraction } = state.progress;
  const passedMs = Date.now() - state.startedMs;
  const perSecond = passedMs < 500 ? 0 : Math.round((count * 1_000) / passedMs);
  const leftMs = fraction === null || fraction < 0.02 ? null : (passedMs * (1 - fraction)) / fraction;
  return (
    <div class="verify-running">
      <progress aria-label="How far it is" max={1} value={fraction ?? undefined} />
      <p class="verify-figures" role="status">
        {of === null ? many(count) : `${many(count)} of ${many(of)}`} receipts
        {perSecond > 0 && ` · ${many(perSecond)} a second`}
        {leftMs !== null && leftMs > 1_000 && ` · about ${duration(leftMs)} left`}
      </p>
      <Button onClick={() => run.stop()}>Stop</Button>
    </div>
  );
}
