const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LONGEST_MS = 315_360_000_000;

/** `30d` from now on or back, or a date (midnight here), as a time; undefined for anything else. */
export function readDuration(text: string, { nowMs, sign }: { nowMs: number; sign: 1 | -1 }): number | undefined {
  const span = /^(\d{1,7})([mhdw])$/.exec(text);
  if (span) {
    const ms = Number(span[1]) * UNITS[span[2] as keyof typeof UNITS];
    return ms <= LONGEST_MS ? nowMs + sign * ms : undefined;
  }
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!date) return undefined;
  const [year = 0, month = 0, day = 0] = date.slice(1).map(Number);
  const at = new Date(year, month - 1, day);
  return at.getMonth() === month - 1 && at.getDate() === day ? at.getTime() : undefined;
}
