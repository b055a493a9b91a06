const SHORTEST_TAIL_MS = 2000;
const LONGEST_TAIL_MS = 120_000;

const UNITS_MS: Readonly<Record<string, number>> = {
  ...{ ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000 },
  ...{ m: 60_000, h: 3_600_000 },
};
/** One part of a duration as Go writes it: `1m30s`, `1.5s`. */
const PART = /(\d{1,9}(?:\.\d{1,9})?)(ns|us|µs|ms|s|m|h)/g;

/** How long calls may go on after the proxy was told to end: as long as execd may hold a call's stream after its end, and some more. */
export function tailMsOf({ EXECD_API_GRACE_SHUTDOWN: hold = "" }: NodeJS.ProcessEnv): number {
  const isDuration = hold.replace(PART, "") === "";
  const parts = isDuration ? [...hold.matchAll(PART)] : [];
  const holdMs = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS_MS[unit ?? ""] ?? 0), 0);
  return Math.min(LONGEST_TAIL_MS, Math.max(SHORTEST_TAIL_MS, holdMs + 1000));
}
