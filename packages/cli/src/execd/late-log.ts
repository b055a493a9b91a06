import type { Log } from "@countersign/sandbox";
import type { LogLevel } from "../hub-errors/index.ts";

/** The hub's log, loaded with its first line: most of the time there is none, and it brings all of the server along. */
export function lateLog(level: LogLevel): Log {
  const write = (severity: keyof Log) => (fields: object, message: string) =>
    void import("../hub-errors/hub-log.ts").then(({ hubLog }) => hubLog(level)[severity](fields, message));
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
