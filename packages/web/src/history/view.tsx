import type { HistoryRowView } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { goTo, route } from "../navigation/index.ts";
import { describeDecider, describeResult, unsafeWord, wasAllowed } from "../proposals/index.ts";
import { clockTime, lastPart } from "../text/index.ts";
import { Button, ClippedLine, Empty, Notice, useKeys, VirtualList, VisibleText } from "../ui/index.ts";
import { FilterBar } from "./filter-bar.tsx";
import { type Filters, hrefWith, readFilters } from "./filters.ts";
import { StoryPanel } from "./story-panel.tsx";
import { type HistoryList, MAX_NEW, useHistory } from "./use-history.ts";
import "./view.css";

const ROW_PX = 58;

/** Every ended proposal, with the story of the open one next to it. A story has an address of its own; the list stays as it is. */
export default function HistoryView(): VNode {
  const { view, rest, query } = route.value;
  const open = view === "story" ? rest[0] : undefined;
  const said = query.toString();
  const filters = useMemo(() => readFilters(query), [said]);
  const list = useHistory(filters);
  const [at, setAt] = useState(-1);
  // In a layout effect: a key pressed before the next frame must act on the new list.
  useLayoutEffect(() => setAt(-1), [said]);
  const last = (list.rows?.length ?? 0) - 1;
  const down = () => setAt((was) => Math.min(was + 1, last));
  const up = () => setAt((was) => Math.max(was - 1, 0));
  useKeys({
    "/": () => document.getElementById("past-search")?.focus(),
    ...{ j: down, ArrowDown: down, k: up, ArrowUp: up },
    Escape: open === undefined ? undefined : () => goTo(hrefWith({ view: "history" }, filters)),
  });
  return (
    <div class={`past ${open === undefined ? "" : "has-open"}`}>
      <section class="past-list" aria-labelledby="past-title">
        <h1 id="past-title" class="heard">
          History
        </h1>
        <FilterBar filters={filters} onDown={() => setAt(0)} />
        <Rows list={list} filters={filters} open={open} at={at} />
      </section>
      {open !== undefined && <StoryPanel key={open} id={open} back={hrefWith({ view: "history" }, filters)} />}
    </div>
  );
}

interface RowsProps {
  list: HistoryList;
  filters: Filters;
  open: string | undefined;
  at: number;
}

function Rows({ list, filters, open, at }: RowsProps): VNode {
  const { rows, fresh, problem, isLooking } = list;
  const place = rows?.[at]?.place;
  const target = useMemo(() => (at < 0 ? undefined : { index: at }), [at]);
  // The row exists once the list has scrolled to it.
  useLayoutEffect(() => {
    if (place !== undefined) document.getElementById(rowId(place))?.focus({ preventScroll: true });
  }, [place]);
  const isNarrowed = Object.keys(filters).length > 0;
  const now = Date.now();
  return (
    <div class="past-rows" aria-busy={isLooking}>
      <p class="past-news" role="status">
        {fresh.length > 0 && (
          <Button kind="main" onClick={list.showFresh}>
            {fresh.length >= MAX_NEW ? `${MAX_NEW} or more` : fresh.length} new ↑
          </Button>
        )}
      </p>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {rows !== undefined && rows.length === 0 && !isLooking && <NothingFound isNarrowed={isNarrowed} />}
      {rows !== undefined && rows.length > 0 && (
        <VirtualList
          items={rows}
          keyOf={({ place: own }) => `${own}`}
          rowPx={ROW_PX}
          label="History"
          onEnd={list.more}
          target={target}
          render={(row) => (
            <HistoryRow
              row={row}
              href={hrefWith({ view: "story", rest: [row.key] }, filters)}
              isOpen={row.key === open}
              nowMs={now}
            />
          )}
        />
      )}
      {isLooking && rows !== undefined && rows.length === 0 && <Empty title="Looking further back…" />}
    </div>
  );
}

function NothingFound({ isNarrowed }: { isNarrowed: boolean }): VNode {
  if (!isNarrowed) {
    return (
      <Empty title="Nothing has ended yet.">
        <p>Commands that ran, were denied or expired appear here, with their receipts.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No match.">
      <p>The search covers commands as they were stored: without secrets.</p>
      <p>
        <a href={hrefWith({ view: "history" }, {})}>Show everything</a>
      </p>
    </Empty>
  );
}

const MARKS = { well: "✓", ill: "✗", unknown: "·" } as const;

interface Props {
  row: HistoryRowView;
  href: string;
  isOpen: boolean;
  nowMs: number;
}

function HistoryRow({ row, href, isOpen, nowMs }: Props): VNode {
  const { word, tone } = describeResult(row);
  const by = describeDecider(row);
  const risk = unsafeWord(row.risk);
  return (
    <a
      id={rowId(row.place)}
      class={`past-row ${tone} ${row.risk ?? ""}`}
      href={href}
      aria-current={isOpen ? "true" : undefined}
    >
      <span class="past-mark" aria-hidden="true">
        {MARKS[tone]}
      </span>
      <code class="past-command">
        <ClippedLine text={row.command} />
      </code>
      <span class="past-time">{clockTime(row.endedAtMs, nowMs)}</span>
      <span class="past-about">
        {risk !== undefined && <span class="past-risk">{risk}</span>}
        <span class="past-result">{word}</span>
        {by !== "" && (
          <>
            {wasAllowed(row) ? <span class="past-next">allowed by </span> : " by "}
            <VisibleText text={by} />
          </>
        )}
        {" · "}
        <VisibleText text={row.agent} />
        {" · "}
        <span title={visible(row.cwd)}>
          <VisibleText text={lastPart(row.repository ?? row.cwd)} />
        </span>
      </span>
    </a>
  );
}

/** The id that receives the focus. */
function rowId(place: number): string {
  return `past-${place}`;
}
