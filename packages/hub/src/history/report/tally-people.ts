import type { ReportApprover } from "@countersign/protocol/records";
import { Rows } from "./counts.ts";
import { type Noted, word } from "./noted.ts";

/** Of so many answers of one person the median is taken: of the first, where there are more. */
const MAX_WAITS = 10_000;

/** Who answered, from which device, how sure that is, and how fast. */
export class TallyPeople {
  readonly #rows = new Rows((name) => ({ name, allowed: 0, denied: 0, slowestMs: -1, waits: [] as number[] }));

  note({ person, device, assurance, verdict }: Noted["said"], waitedMs: number | null): void {
    if (typeof person !== "string") return;
    const row = this.#rows.of(JSON.stringify([person, word(device), word(assurance)]));
    if (verdict === "allow") row.allowed += 1;
    else row.denied += 1;
    if (waitedMs === null) return;
    row.slowestMs = Math.max(row.slowestMs, waitedMs);
    if (row.waits.length < MAX_WAITS) row.waits.push(waitedMs);
  }

  get listed(): ReportApprover[] {
    return this.#rows.listed.map(({ name, allowed, denied, slowestMs, waits }) => {
      const [person, device, assurance] = name.startsWith("[") ? JSON.parse(name) : [name, null, null];
      const times = { medianMs: median(waits), slowestMs: waits.length === 0 ? null : slowestMs };
      return { person, device, assurance, allowed, denied, ...times };
    });
  }
}

/** The lower one of two in the middle: a time that somebody took. */
function median(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? null;
}
