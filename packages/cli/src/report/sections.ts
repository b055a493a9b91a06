import type { Report } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import { MEANINGS } from "../receipts/sources/index.ts";
import { changesSections } from "./changes-sections.ts";
import { countsSections } from "./counts-sections.ts";
import { gapsSection } from "./gaps-section.ts";
import { localTime } from "./local-time.ts";
import { peopleSections } from "./people-sections.ts";
import type { ReportSections } from "./section.ts";

/** The verdict first: figures of a record that doesn't hold are worth what comes after it says. */
export function reportSections(report: Report): ReportSections {
  const { span, madeAt, figures, notProved } = report;
  return {
    title: "Countersign report",
    span: `from ${localTime(Date.parse(span.from))} up to, but not including, ${localTime(Date.parse(span.to))}`,
    verdict: verdictOf(report),
    sections: [
      ...(figures.receipts.count === 0
        ? [{ title: "Nothing is on record in this span", blocks: [] }]
        : [...countsSections(report), ...peopleSections(figures), ...changesSections(figures)]),
      gapsSection(report),
      { title: "Not proved", blocks: [{ kind: "list", items: notProved.map(visible) }] },
    ],
    madeAt: `Made ${localTime(Date.parse(madeAt))} from receipts alone; whoever has them can count again: countersign report --file.`,
  };
}

function verdictOf({ record, figures }: Report): ReportSections["verdict"] {
  const { fault, receipts, trusted } = record;
  const inSpan = `${figures.receipts.count} of them in this span`;
  if (fault !== null) {
    const meaning = MEANINGS[fault.code as keyof typeof MEANINGS];
    const words = `BROKEN at receipt ${fault.seq}: ${visible(fault.code)}`;
    const counted = `The figures below count the ${figures.receipts.count} receipts of this span before it, and nothing after it.`;
    return { tone: "bad", words, details: [`${meaning} (${visible(fault.detail)})`, counted] };
  }
  const words = `Every signature and link holds: ${receipts} receipts, ${inSpan}`;
  if (trusted === "nobody") {
    const whose = "Nobody vouches for the key that signed them: give the right one with --trust.";
    return { tone: "doubtful", words, details: [whose] };
  }
  const key = trusted === "given" ? "a key that you trust" : "this machine's own key";
  return { tone: "good", words, details: trusted === undefined ? [] : [`Signed with ${key}.`] };
}
