import { type ChildEnd, endOfPid } from "@countersign/native";

const waiting = new Map<number, (end: ChildEnd) => void>();
let keepAlive: NodeJS.Timeout | undefined;

/** A listener for signals doesn't keep a process alive, and a program that we are a part of may take it away. */
const LOOK_AGAIN_MS = 1_000;

/** The end of a child that Node doesn't know of, and so doesn't wait for. */
export function whenEnded(pid: number): Promise<ChildEnd> {
  if (waiting.size === 0) {
    process.on("SIGCHLD", reap);
    keepAlive = setInterval(reap, LOOK_AGAIN_MS);
  }
  return new Promise((resolve) => {
    waiting.set(pid, resolve);
    // It may have ended before we listened.
    reap();
  });
}

/** One signal may stand for several ends. */
function reap(): void {
  for (const [pid, resolve] of waiting) {
    const end = endOfPid(pid);
    if (end === undefined) continue;
    waiting.delete(pid);
    resolve(end);
  }
  if (waiting.size > 0) return;
  process.off("SIGCHLD", reap);
  clearInterval(keepAlive);
}
