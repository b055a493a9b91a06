import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CaError } from "./ca-error.ts";

const WAIT_MS = 10_000;
const STEP_MS = 20;

/** One command at a time: two that each write the list of what is revoked would lose one's entry. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + WAIT_MS;
  while (!take(path)) {
    if (performance.now() > untilMs) {
      throw new CaError("BUSY", `Another command holds ${path}. Try again; remove it if no such command runs.`);
    }
    await sleep(STEP_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    // Of a command that was killed.
    if (isLeftBehind(path)) rmSync(path, { force: true });
    return false;
  }
}

function isLeftBehind(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    if (!Number.isSafeInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ESRCH";
  }
}
