import type { VNode } from "preact";
import { hrefOf, route } from "../route.ts";
import { ClippedLine } from "../text/clipped-line.tsx";
import { shortPath } from "../text/short-path.ts";
import { countdown } from "../text/time.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Notice } from "../ui/notice.tsx";
import { nowMs } from "../ui/now.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { RunPage } from "./run-page.tsx";
import type { RunRow } from "./run-rows.ts";
import { tellOutcome } from "./tell-outcome.ts";
import { useLiveRuns } from "./use-live-runs.ts";
import "../ui/side-list.css";
import "../ui/tone.css";
import "./view.css";

const ROW_PX = 76;

/** What runs now, and beside it the one that is open. */
export default function RunsView(): VNode {
  const { rows, problem, clear } = useLiveRuns();
  // An approval names its run, too.
  const [open] = route.value.rest;
  const opened = rows?.find(({ run }) => open !== undefined && (run.key === open || run.approvalId === open));
  const running = rows?.filter(({ end }) => end === undefined).length ?? 0;
  const ended = (rows?.length ?? 0) - running;
  return (
    <div class={`runs ${open === undefined ? "" : "has-open"}`}>
      <section class="runs-list side-list" aria-labelledby="runs-title">
        <div class="runs-head">
          <h1 id="runs-title">{running === 0 ? "Nothing runs" : `${running} running`}</h1>
          {ended > 0 && (
            <Button kind="plain" onClick={clear}>
              Clear {ended} ended
            </Button>
          )}
        </div>
        {problem && <Notice kind="problem">{problem}</Notice>}
        {rows?.length === 0 && (
          <Empty title="No command runs at the moment.">
            <p>
              What is allowed shows up here while it runs. What an agent runs by itself can’t be watched; it is in the
              History.
            </p>
          </Empty>
        )}
        {rows !== undefined && rows.length > 0 && (
          <VirtualList
            items={rows}
            keyOf={({ run }) => run.key}
            rowPx={ROW_PX}
            label="Runs"
            render={(row) => <Row row={row} isOpen={row === opened} />}
          />
        )}
      </section>
      {open !== undefined && <RunPage key={open} id={open} row={opened} />}
    </div>
  );
}

function Row({ row: { run, end }, isOpen }: { row: RunRow; isOpen: boolean }): VNode {
  const { key, command, agentName, cwd, jail, startedAtMs } = run;
  const { word, tone } = end ? tellOutcome(end.outcome) : { word: "running", tone: "live" };
  return (
    <a
      class={`runs-row side-row ${end ? "over" : ""}`}
      href={hrefOf("runs", [key])}
      aria-current={isOpen ? "true" : undefined}
    >
      <span class="runs-row-top">
        <span class={`runs-state tone ${tone}`}>{word}</span>
        <span class="quiet">{countdown((end?.atMs ?? nowMs.value) - startedAtMs)}</span>
      </span>
      <code class="runs-command">
        <ClippedLine text={command} />
      </code>
      <span class="quiet small">
        <ClippedLine text={shortPath(cwd)} before="/">
          <VisibleText text={agentName} /> · {jail === "none" ? "no jail" : `jail: ${jail}`} ·{" "}
        </ClippedLine>
      </span>
    </a>
  );
}
