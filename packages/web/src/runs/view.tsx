import { followRuns } from "@countersign/sdk";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { hrefOf, route } from "../navigation/index.ts";
import { describeOutcome } from "../proposals/index.ts";
import { countdown, shortPath } from "../text/index.ts";
import { Button, ClippedLine, Empty, Notice, nowMs, SideList, Tone, VirtualList, VisibleText } from "../ui/index.ts";
import { RunPage } from "./run-page.tsx";
import { endRow, type RunRow, updateRows } from "./run-rows.ts";
import "./view.css";

const ROW_PX = 76;

/** The running commands, with the open one next to them. */
export default function RunsView(): VNode {
  const { rows, problem, clear } = useLiveRuns();
  // The id of an approval names its run too.
  const [open] = route.value.rest;
  const opened = rows?.find(({ run }) => open !== undefined && (run.key === open || run.approvalId === open));
  const running = rows?.filter(({ end }) => end === undefined).length ?? 0;
  const ended = (rows?.length ?? 0) - running;
  return (
    <div class={`runs ${open === undefined ? "" : "has-open"}`}>
      <SideList class="runs-list" aria-labelledby="runs-title">
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
              Allowed commands appear here while they run. Commands that an agent runs itself can’t be watched; they are
              in the History.
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
      </SideList>
      {open !== undefined && <RunPage key={open} id={open} row={opened} />}
    </div>
  );
}

function Row({ row: { run, end }, isOpen }: { row: RunRow; isOpen: boolean }): VNode {
  const { key, command, agentName, cwd, jail, startedAtMs } = run;
  const { word, tone } = end ? describeOutcome(end.outcome) : { word: "running", tone: "live" as const };
  return (
    <a
      class={`runs-row side-row ${end ? "over" : ""}`}
      href={hrefOf("runs", [key])}
      aria-current={isOpen ? "true" : undefined}
    >
      <span class="runs-row-top">
        <Tone class="runs-state" word={word} tone={tone} />
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

interface LiveRuns {
  /** Undefined until the hub has listed them. */
  readonly rows: readonly RunRow[] | undefined;
  readonly problem: string | undefined;
  /** Removes the ended ones. */
  clear(): void;
}

/** The current runs of the hub, and those that ended while the view was open. */
function useLiveRuns(): LiveRuns {
  const { client } = useHub();
  const [rows, setRows] = useState<readonly RunRow[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(
    () =>
      followRuns(client, {
        onRuns: (runs) => setRows((before) => updateRows(before ?? [], runs, Date.now())),
        onEnded: (ended) => setRows((before) => before && endRow(before, ended, Date.now())),
        onError: ({ message }) => setProblem(message),
      }),
    [client],
  );
  return { rows, problem, clear: () => setRows((before) => before?.filter(({ end }) => end === undefined)) };
}
