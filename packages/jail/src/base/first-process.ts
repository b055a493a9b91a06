import { readFileSync } from "node:fs";

/** When a process was started, in ticks since the machine was: tells it from another that has its number later. Undefined if there is none. */
export function startOf(pid: number): string | undefined {
  return fieldsOf(pid)?.[19];
}

/** Whether it is that process and can still run. One whose first thread has ended looks like a zombie while its other threads go on. */
export function isRunning(pid: number, start: string | undefined): boolean {
  const fields = fieldsOf(pid) ?? [];
  const [state, threads] = [fields[0], Number(fields[17])];
  return start !== undefined && fields[19] === start && ((state !== "Z" && state !== "X") || threads > 1);
}

/** Kills the first process of a jail, and so all others in it; its group at once, before the kernel gets to the rest. */
export function killTree(pid: number, start: string | undefined): void {
  if (start === undefined || startOf(pid) !== start) return;
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch (cause) {
      // It has ended. EPERM: what is left of the group became another user's.
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== "ESRCH" && code !== "EPERM") throw cause;
    }
  }
}

/** From its state on (`man 5 proc_pid_stat`). */
function fieldsOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Its name comes before, and may have spaces and brackets in it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw cause;
  }
}
