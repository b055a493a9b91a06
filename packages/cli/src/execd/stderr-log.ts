import type { Log } from "@countersign/sandbox";

/** JSON lines on stderr, without anything of the server: what runs in a sandbox is small and starts fast. */
export function stderrLog(): Log {
  const write = (level: string) => (fields: object, message: string) =>
    void process.stderr.write(
      `${JSON.stringify({ level, time: Date.now(), pid: process.pid, ...fields, msg: message })}\n`,
    );
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
