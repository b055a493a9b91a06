import type { Log } from "@countersign/core/base";
import { filterSecretsDeep } from "@countersign/core/redaction";
import { visibleJson } from "@countersign/protocol/text";
import { pino } from "pino";

export type LogLevel = "error" | "warn" | "info";

/**
 * The hub's log: JSON lines on stderr. Errors quote what they stumbled over, so each text of a line is filtered: text by
 * text, so that the line stays JSON.
 */
export function hubLog(level: LogLevel): Log {
  const base = { pid: process.pid };
  const write = (line: string) => process.stderr.write(`${visibleJson(filterSecretsDeep(JSON.parse(line)))}\n`);
  return pino({ level, base }, { write });
}
