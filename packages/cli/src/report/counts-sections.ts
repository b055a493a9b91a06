import { DECIDER_WORDS } from "@countersign/protocol/describe";
import type { Report, ReportFlow } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import type { Decider } from "@countersign/vocabulary";
import type { Block, Section } from "./section.ts";

type Counts = Readonly<Record<string, number>>;

/** From the proposal to its end. Each flow adds up: what was there and came is what went and is there still. */
export function countsSections({ figures, unanswered }: Report): Section[] {
  const { waiting, decided, permitted, running, previews, receipts } = figures;
  const { allowed, denied, expired, cancelled } = decided;
  const proposals: Block[] = [
    {
      kind: "facts",
      rows: [
        ["waited when it began", waiting.before],
        ["proposed", waiting.entered],
        ["decided", waiting.left, sum({ allowed, denied, expired, cancelled })],
        ["waited when it ended", waiting.after],
      ],
    },
    added(waiting),
    ...by("allowed by", decided.allowedBy),
    ...by("denied by", decided.deniedBy),
    ...words("allowed, by risk", decided.allowedRisk),
    ...words("allowed, by what holds it", decided.allowedEnforcement),
    ...(unanswered
      ? [note(`${unanswered} more that were proposed in this span wait for an answer; the store says so.`)]
      : []),
  ];
  const runs: Block[] = [
    {
      kind: "facts",
      rows: [
        ["allowed and not started when it began", permitted.before],
        ["allowed", permitted.entered],
        ["started", permitted.started],
        ["never started", permitted.left - permitted.started, sum(permitted.neverStarted)],
        ["not started yet when it ended", permitted.after],
      ],
    },
    added(permitted),
    {
      kind: "facts",
      rows: [
        ["ran when it began", running.before],
        ["started", running.entered],
        ["ended", running.left, sum(running.as)],
        ["ran when it ended", running.after],
      ],
    },
    added(running),
    ...words("told by", running.reportedBy),
    ...(previews.entered + previews.left > 0
      ? [note(`tried out beforehand: ${previews.entered}, ended: ${previews.left} (${sum(previews.as)})`)]
      : []),
  ];
  return [
    { title: "Proposals", blocks: proposals },
    { title: "Runs", blocks: runs },
    { title: "Receipts", blocks: [{ kind: "facts", rows: [["all", receipts.count, sum(receipts.byType)]] }] },
  ];
}

function added({ before, entered, left, after }: ReportFlow): Block {
  const holds = before + entered === left + after;
  return note(`${before} + ${entered} = ${left} + ${after}${holds ? "" : " DOES NOT ADD UP"}`);
}

function sum(counts: Counts): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.map(([name, count]) => `${count} ${visible(name)}`).join(" + ");
}

function by(title: string, counts: Counts): Block[] {
  const rows = Object.entries(counts).map(([name, count]) => [deciderOf(name), String(count)]);
  return rows.length === 0 ? [] : [{ kind: "table", head: [title, ""], rows, numbers: [1] }];
}

function deciderOf(name: string): string {
  return Object.hasOwn(DECIDER_WORDS, name) ? DECIDER_WORDS[name as Decider] : visible(name);
}

function words(title: string, counts: Counts): Block[] {
  return Object.keys(counts).length === 0 ? [] : [note(`${title}: ${sum(counts)}`)];
}

function note(text: string): Block {
  return { kind: "note", text };
}
