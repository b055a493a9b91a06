/** Local time with its distance from UTC, so that nobody has to guess: `2026-01-31 14:02:03+01:00`. */
export function localTime(atMs: number): string {
  const at = new Date(atMs);
  const minutes = -at.getTimezoneOffset();
  const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, "0");
  const offset = `${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
  return `${at.toLocaleString("sv-SE")}${offset}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** In its two largest units. */
export function howLong(ms: number): string {
  const at = UNITS.findIndex(([, unit]) => ms >= unit);
  if (at === -1) return `${ms} ms`;
  const [[name, unit], next] = [UNITS[at] as (typeof UNITS)[number], UNITS[at + 1]];
  const whole = `${Math.floor(ms / unit)} ${name}`;
  const rest = next === undefined ? 0 : Math.floor((ms % unit) / next[1]);
  return rest === 0 || next === undefined ? whole : `${whole} ${rest} ${next[0]}`;
}
