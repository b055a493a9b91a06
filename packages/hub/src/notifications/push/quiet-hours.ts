import type { QuietHours } from "@countersign/protocol/access";

/** Whether a device wants to hear nothing now. */
export function isQuiet({ from, to, timeZone }: QuietHours, nowMs: number): boolean {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const now = format.format(nowMs);
  // The same twice: never.
  return from <= to ? from <= now && now < to : now >= from || now < to;
}
