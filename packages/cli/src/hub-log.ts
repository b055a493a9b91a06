import { filterSecrets, type Log } from "@countersign/server";
import { pino } from "pino";

export type LogLevel = "error" | "warn" | "info";

/** The hub's log: JSON lines on stderr. Errors quote what they stumbled over, so every line is filtered as a whole. */
export function hubLog(level: LogLevel): Log {
  const base = { pid: process.pid };
  return pino({ level, base }, { write: (line: string) => process.stderr.write(filterSecrets(line)) });
}
