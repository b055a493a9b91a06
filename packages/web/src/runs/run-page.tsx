import { outcomeSentence } from "@countersign/protocol/describe";
import type { Story } from "@countersign/protocol/records";
import { GatewayError } from "@countersign/sdk";
import type { ComponentChildren, TargetedSubmitEvent, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { describeOutcome, type OutcomeWords, useStory } from "../proposals/index.ts";
import { clockTime, countdown, duration, elide } from "../text/index.ts";
import { Button, CopyButton, Dialog, Empty, isNarrow, Notice, nowMs, Tone, VisibleText } from "../ui/index.ts";
import { type FeedEnd, OutputFeed } from "./output-feed.ts";
import { OutputView } from "./output-view.tsx";
import type { RunRow } from "./run-rows.ts";

/** A run: its command, its live output, a button to stop it, and how it ended. */
export function RunPage({ id, row }: { id: string; row: RunRow | undefined }): VNode {
  const { client } = useHub();
  const [feed, setFeed] = useState<OutputFeed>();
  useEffect(() => {
    const opened = new OutputFeed(client, id);
    setFeed(opened);
    return () => opened.close();
  }, [client, id]);
  const [wraps, setWraps] = useState(isNarrow);
  const end = feed?.end.value;
  // The list has only the start of a command, and no runs from before; the record has both. If the query fails the page stays as it is.
  const isCut = row === undefined ? end !== undefined : row.run.command.endsWith("…");
  const story = useStory(isCut ? id : undefined).answer;
  if (end?.kind === "refused" && feed?.log.count === 0) return <NotThere id={id} end={end} />;
  return (
    <article class="run" aria-label="Run">
      <Head row={row} end={end} story={story} />
      {feed && <OutputView feed={feed} wraps={wraps} />}
      <Foot feed={feed} end={end} row={row} id={id}>
        <label class="run-wrap">
          <input type="checkbox" checked={wraps} onChange={({ currentTarget }) => setWraps(currentTarget.checked)} />
          Wrap
        </label>
      </Foot>
    </article>
  );
}

interface Parts {
  id: string;
  row: RunRow | undefined;
  end: FeedEnd | undefined;
}

function Head({ row, end, story }: Omit<Parts, "id"> & { story: Story | undefined }): VNode {
  const run = row?.run;
  const command = story?.proposal?.command ?? run?.command;
  const cwd = run?.cwd ?? story?.proposal?.cwd;
  const { word, tone } = stateWord(row, end);
  return (
    <header class="run-head">
      <div class="run-bar">
        <a class="run-back" href={hrefOf("runs")}>
          ‹ Runs
        </a>
        <Tone class="runs-state" role="status" word={word} tone={tone} />
        {end === undefined && run && <span class="quiet">{countdown(nowMs.value - run.startedAtMs)}</span>}
        {end === undefined && run && <StopRun id={run.key} command={command ?? ""} />}
      </div>
      {command !== undefined && (
        /* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */
        <section class="run-command" tabIndex={0} aria-label="Command">
          <pre>
            <VisibleText text={command} lines />
          </pre>
        </section>
      )}
      <p class="run-where quiet small">
        {run && (
          <>
            <VisibleText text={run.agentName} /> · {run.jail === "none" ? "no jail" : `jail: ${run.jail}`} ·{" "}
          </>
        )}
        {cwd !== undefined && <VisibleText text={cwd} />}
        {run && ` · since ${clockTime(run.startedAtMs, nowMs.value)}`}
        {run?.approvalId !== undefined && (
          <>
            {" · "}
            <a href={hrefOf("story", [run.approvalId])}>who allowed it</a>
          </>
        )}
      </p>
    </header>
  );
}

/** A pending approval, or a command that never started, has a page here too. */
function stateWord(
  row: RunRow | undefined,
  end: FeedEnd | undefined,
): { readonly word: string; readonly tone: OutcomeWords["tone"] | "live" } {
  if (end?.kind === "ended") return describeOutcome(end.outcome);
  if (row?.end) return describeOutcome(row.end.outcome);
  return row ? { word: "running", tone: "live" } : { word: "not running", tone: "unknown" };
}

function Foot({
  id,
  feed,
  end,
  row,
  children,
}: Parts & { feed: OutputFeed | undefined; children: ComponentChildren }): VNode {
  const lines = feed === undefined ? 0 : feed.version.value >= 0 ? feed.log.count + feed.log.dropped : 0;
  return (
    <footer class="run-foot">
      <div class="run-tools small quiet">
        <span>
          {lines === 0 ? "Nothing written yet" : `${lines.toLocaleString("en")} ${lines === 1 ? "line" : "lines"}`}
        </span>
        <span>
          <span class="run-legend">!</span> stderr
        </span>
        {children}
        {lines > 0 && feed && <CopyButton text={() => feed.log.text()} />}
      </div>
      {end?.kind === "refused" && <Notice kind="problem">{end.message}</Notice>}
      {end?.kind === "ended" && <Outcome id={id} end={end} row={row} />}
    </footer>
  );
}

function Outcome({
  id,
  end,
  row,
}: {
  id: string;
  end: Extract<FeedEnd, { kind: "ended" }>;
  row: RunRow | undefined;
}): VNode {
  const { outcome } = end;
  const { word, tone } = describeOutcome(outcome);
  const tookMs = row?.end && row.end.atMs - row.run.startedAtMs;
  const sentence = outcome && outcomeSentence(outcome, 0);
  return (
    <div class={`run-outcome ${tone}`} role="status">
      <p>
        <strong>{word.charAt(0).toUpperCase() + word.slice(1)}</strong>
        {tookMs !== undefined && <span class="quiet"> after {duration(tookMs)}</span>}
      </p>
      {sentence && (
        <p>
          <VisibleText text={sentence} />
        </p>
      )}
      {outcome?.truncated && <p class="quiet small">The middle of the output isn’t kept on record.</p>}
      <p class="small">
        <a href={hrefOf("story", [outcome?.receipt ?? id])}>Its story and receipts</a>
      </p>
    </div>
  );
}

function NotThere({ id, end }: { id: string; end: Extract<FeedEnd, { kind: "refused" }> }): VNode {
  return (
    <article class="run" aria-label="Run">
      <div class="run-bar">
        <a class="run-back" href={hrefOf("runs")}>
          ‹ Runs
        </a>
      </div>
      {end.code === "NOT_FOUND" ? (
        <Empty title="The output of this run isn’t available.">
          <p>Outputs are stored for a day. The record of the run stays.</p>
          <a href={hrefOf("story", [id])}>Its story and receipts</a>
        </Empty>
      ) : (
        <Notice kind="problem">{end.message}</Notice>
      )}
    </article>
  );
}

type Phase = "idle" | "asking" | "stopping";

/** Asks for confirmation, then tells the hub to stop the run. The page shows the end when the run reports it. */
function StopRun({ id, command }: { id: string; command: string }): VNode {
  const hub = useHub();
  const [phase, setPhase] = useState<Phase>("idle");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const stop = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      const why = reason.trim();
      await hub.request("stopRun", { key: id, ...(why === "" ? {} : { reason: why }) });
      setPhase("stopping");
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      setProblem(cause.message);
    }
  };
  return (
    <>
      <Button kind="danger" disabled={phase === "stopping"} onClick={() => setPhase("asking")}>
        {phase === "stopping" ? "Stopping…" : "Stop…"}
      </Button>
      {phase === "asking" && (
        <Dialog title="Stop this command?" onClose={() => setPhase((now) => (now === "asking" ? "idle" : now))}>
          <form class="stop-run" onSubmit={stop}>
            <code>
              <VisibleText text={elide(command, 200)} />
            </code>
            <p class="quiet small">
              It is asked to stop, and killed if it doesn’t. What it has done so far isn’t undone.
            </p>
            <label>
              Why, for the agent (optional)
              <input
                type="text"
                maxLength={500}
                value={reason}
                onInput={({ currentTarget }) => setReason(currentTarget.value)}
              />
            </label>
            {problem && <Notice kind="problem">{problem}</Notice>}
            <div class="stop-run-buttons">
              <Button onClick={() => setPhase("idle")}>Let it run</Button>
              <Button kind="danger" type="submit">
                Stop it
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
