import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, onSignals } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { type ListOptions, lineOf } from "./list.ts";
import { filterOf, type Recorded, RecordFile, readFilter } from "./sources/index.ts";

interface TailOptions extends ListOptions {
  readonly follow?: boolean;
}

/** How soon a new receipt is seen. The file is asked, so that it works beside any hub. */
const POLL_MS = 250;

/** The newest; with --follow also those to come, until it is stopped. As JSON, one a line. */
export async function tail(options: TailOptions): Promise<number> {
  const record = RecordFile.open(options);
  const stop = new AbortController();
  const signals = options.follow ? onSignals(() => stop.abort()) : undefined;
  try {
    const filter = readFilter(filterOf(options));
    // Before the newest are looked at: none may fall between them and those that follow.
    let last = record.lastSeq();
    const show = ({ view }: Recorded) => (options.json ? printJson(view) : printLines([lineOf(view)]));
    record
      .newest(options.limit, filter)
      .filter(({ seq }) => seq <= last)
      .forEach(show);
    while (options.follow && !stop.signal.aborted) {
      const upTo = record.lastSeq();
      for (const found of record.after(last, filter, upTo)) show(found);
      last = upTo;
      await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    return EXIT.ok;
  } finally {
    signals?.off();
    record.close();
  }
}
