import type { Readable } from "node:stream";
import type { StartedProcess } from "../places/index.ts";

/** How long what a shell wrote may take to arrive after it ended, while somebody that it left behind holds its output open. */
const QUIET_MS = 50;

export interface Taker {
  take(stream: "stdout" | "stderr", chunk: Buffer): unknown;
  /** Before more is read. */
  whenTaken?(): Promise<void>;
}

/**
 * Resolves when the shell has ended and what it wrote is taken. Those that it left behind may go on writing: that is read and thrown away, so that they
 * aren't ended by a closed pipe.
 */
export async function followOutput(started: StartedProcess, taker: Taker): Promise<void> {
  let isOver = false;
  let held = 0;
  let lastAtMs = performance.now();
  const follow = async (name: "stdout" | "stderr", stream: Readable | undefined) => {
    if (!stream) return;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (isOver) continue;
        lastAtMs = performance.now();
        taker.take(name, chunk);
        held += 1;
        await taker.whenTaken?.();
        held -= 1;
      }
    } catch {
      // A terminal whose processes are gone reads as EIO, and a pipe that was cut has nothing more to say.
    }
  };
  const allRead = Promise.all([follow("stdout", started.stdout), follow("stderr", started.stderr)]);
  await started.ended;
  lastAtMs = performance.now();
  const quiet = Promise.withResolvers<void>();
  const look = setInterval(() => {
    if (held === 0 && performance.now() - lastAtMs >= QUIET_MS) quiet.resolve();
  }, QUIET_MS);
  await Promise.race([allRead, quiet.promise]);
  clearInterval(look);
  isOver = true;
}
