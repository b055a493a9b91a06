import type { HistoryRowView } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { byWords, resultWord, unsafeWord, wasAllowed } from "../proposals/index.ts";
import { clockTime, lastPart } from "../text/index.ts";
import { ClippedLine, VisibleText } from "../ui/index.ts";

const MARKS = { well: "✓", ill: "✗", unknown: "·" } as const;

interface Props {
  row: HistoryRowView;
  href: string;
  isOpen: boolean;
  nowMs: number;
}

export function HistoryRow({ row, href, isOpen, nowMs }: Props): VNode {
  const { word, tone } = resultWord(row);
  const by = byWords(row);
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

/** Where the focus goes. */
export function rowId(place: number): string {
  return `past-${place}`;
}
