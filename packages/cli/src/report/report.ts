import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Span } from "@countersign/hub";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";
import { exitCodeOf, recordParts, refuseExisting, type VerifyCommandOptions, writeParts } from "../receipts/index.ts";
import { BundleSource, type FilterOptions, RecordFile, readFilter, type Source } from "../receipts/sources/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { type Counted, countReport } from "./count-report.ts";
import { reportHtml } from "./html.ts";
import { reportSections } from "./sections.ts";
import { sectionLines } from "./text.ts";

interface ReportOptions extends VerifyCommandOptions, Pick<FilterOptions, "from" | "to"> {
  readonly html?: string;
  readonly bundle?: string;
}

/** Where nothing is said. */
const DEFAULT_FROM = "7d";

/** What happened in a span, from receipts that are verified on the way. Exits as `receipts verify` does. */
export async function report(options: ReportOptions): Promise<number> {
  const files = [options.html, options.bundle].filter((file) => file !== undefined).map((file) => resolve(file));
  files.forEach(refuseExisting);
  const nowMs = Date.now();
  try {
    const counted = await countReport(options, (source) => readSpan(options, source, nowMs), nowMs);
    const { verdict } = counted;
    const sections = reportSections(counted.report);
    // Files first: whoever reads along may stop early.
    if (options.html !== undefined) {
      await writeParts([{ text: reportHtml(sections), receipts: 0 }], resolve(options.html));
    }
    if (options.bundle !== undefined && verdict.whole) await writeBundle(counted, options, resolve(options.bundle));
    if (options.json) printJson(counted.report);
    else printLines([...sectionLines(sections), ...files.filter(existsSync).map((file) => `Wrote ${visible(file)}`)]);
    // What stands before a fault would verify, and look as if all were well.
    if (options.bundle !== undefined && !verdict.whole) throw noBundle();
    return exitCodeOf(verdict);
  } catch (cause) {
    throw asCliError(cause);
  }
}

/** As it is given, or what a report's bundle is about. */
function readSpan({ from, to }: ReportOptions, source: Source, nowMs: number): Span {
  const about = source instanceof BundleSource ? source.bundle.span : undefined;
  if (from === undefined && to === undefined && about !== undefined) return about;
  const { fromMs = 0, toMs = nowMs } = readFilter(
    { from: from ?? DEFAULT_FROM, ...(to === undefined ? {} : { to }) },
    nowMs,
  );
  if (fromMs < toMs) return { fromMs, toMs };
  const why = `--to must be after --from: it is the first moment that doesn't count`;
  throw new CliError("FAILED", `${why}. (--from without --to goes to now; without either, it is the last 7 days.)`, {
    exitCode: EXIT.usage,
  });
}

async function writeBundle({ report: { span }, isChosen, verdict }: Counted, options: ReportOptions, target: string) {
  if (verdict.source.kind !== "countersign") {
    throw new CliError("FAILED", "A bundle can only be made from a Countersign database.", {
      exitCode: EXIT.usage,
    });
  }
  const record = RecordFile.open(options);
  try {
    const about = { fromMs: Date.parse(span.from), toMs: Date.parse(span.to) };
    await writeParts(recordParts(record, { selection: true, isChosen, span: about }), target);
  } finally {
    record.close();
  }
}

function noBundle(): CliError {
  const whole = "Keep all of it as it is: countersign receipts export --jsonl FILE";
  return new CliError("FAILED", `No bundle was written: the ledger is broken. ${whole}`);
}
