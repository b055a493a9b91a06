import { table } from "../terminal/index.ts";
import type { Block, ReportSections } from "./section.ts";

/** For a terminal, or a mail. */
export function sectionLines({ title, span, verdict, sections, madeAt }: ReportSections): string[] {
  return [
    verdict.words,
    ...verdict.details,
    "",
    `${title} ${span}`,
    ...sections.flatMap((section) => ["", section.title.toUpperCase(), ...section.blocks.flatMap(blockLines)]),
    "",
    madeAt,
  ];
}

export function blockLines(block: Block): string[] {
  switch (block.kind) {
    case "facts":
      return table(block.rows.map(([what, count, parts]) => [`  ${what}`, String(count), parts ? `= ${parts}` : ""]));
    case "table":
      return table([block.head, ...block.rows].map(([first = "", ...rest]) => [`  ${first}`, ...rest]));
    case "list":
      return block.items.map((item) => `- ${item}`);
    case "note":
      return [`  ${block.text}`];
  }
}
