import type { Figures, Report, ReportDown, ReportEvent } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import { leftOutOf } from "./count-report.ts";
import { howLong, localTime } from "./local-time.ts";
import type { Section } from "./section.ts";

/** What the record says it lacks, and what doesn't fit. */
export function gapsSection({ figures, record, span }: Report): Section {
  const { gaps, emitters } = figures;
  const dropped = emitters.reduce((sum, emitter) => sum + emitter.dropped, 0);
  const items = [
    ...(gaps.recordBegins === null ? [] : [`The record begins at ${when(gaps.recordBegins)}.`]),
    ...lastWords(record.lastAt, span.to),
    ...gaps.epochs.map(epochWords),
    ...leftOutOf(figures, ["epochs"]),
    ...gaps.downs.map((down) => downWords(down, span.to)),
    ...leftOutOf(figures, ["downs"]),
    ...(dropped > 0 ? [`${dropped} frames never came, by what their emitters said.`] : []),
    ...emitters.flatMap(unwatchedWords),
    ...clockWords(gaps.clock),
    ...gaps.odd.map(({ code, seq }) => `receipt ${seq}: ${Object.hasOwn(ODD, code) ? ODD[code] : visible(code)}`),
    ...leftOutOf(figures, ["odd"]),
    ...gaps.incomplete.map(incompleteWords),
    ...leftOutOf(figures, ["incomplete"]),
  ];
  return { title: "Gaps", blocks: [{ kind: "list", items: items.length === 0 ? ["None found."] : items }] };
}

const ODD: Readonly<Record<string, string>> = {
  DECIDED_TWICE: "the proposal had been decided already",
  STARTED_UNDECIDED: "started without a decision on record that allows it",
  ENDED_UNDECIDED: "ended without a decision on record",
};

function lastWords(lastAt: string | null, to: string): string[] {
  if (lastAt === null || lastAt >= to) return [];
  return [`Nothing is on record after ${when(lastAt)}.`];
}

function epochWords({ seq, at, said }: ReportEvent): string {
  const sizeIn = (tree: unknown) => String((tree as { readonly size?: unknown } | undefined)?.size ?? "?");
  const sizes = `a witness remembered ${sizeIn(said.remembered)} receipts, ${sizeIn(said.found)} were found`;
  return visible(
    `${when(at)} receipt ${seq}: the record was ${String(said.how)}; ${sizes} (epoch ${String(said.epoch)})`,
  );
}

function downWords({ from, to, how }: ReportDown, end: string): string {
  const long = howLong(Date.parse(to ?? end) - Date.parse(from));
  const until = to === null ? "the end of the span at least" : when(to);
  const why = how === "stopped" ? "it had been stopped" : "it ended without saying so; its last word is the beginning";
  return `No hub from ${when(from)} to ${until} (${long}): ${why}`;
}

function unwatchedWords({ emitter, unwatched }: Figures["emitters"][number]): string[] {
  if (unwatched === 0) return [];
  return [
    visible(`${emitter}: nobody watched its network for a while, ${unwatched === 1 ? "once" : `${unwatched} times`}`),
  ];
}

function clockWords({ count, largestMs, firstSeq }: Figures["gaps"]["clock"]): string[] {
  if (count === 0) return [];
  return [
    `The clock went back ${count} times, by up to ${howLong(largestMs)}; first at receipt ${firstSeq}. Times around it can't be relied on.`,
  ];
}

function incompleteWords({ code, seq, emitter, subject }: Figures["gaps"]["incomplete"][number]): string {
  const what = code === "incomplete_session" ? "opened and not closed" : "without an end";
  return visible(`receipt ${seq} of ${emitter}: ${subject} ${what} in this span (${code})`);
}

function when(at: string): string {
  return localTime(Date.parse(at));
}
