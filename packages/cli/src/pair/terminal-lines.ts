import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface, type Interface } from "node:readline";

/**
 * What is typed into this process's terminal, line by line: no key acts by itself, and Ctrl-C stays the terminal's. Only
 * while it is in the foreground: a process in the background that reads its terminal is stopped by the kernel, and every
 * agent with it.
 */
export class TerminalLines {
  readonly #waiting: ((line: string | undefined) => void)[] = [];
  readonly #onContinued = () => this.#follow();
  #reader: Interface | undefined;
  #ended = false;

  constructor() {
    // After Ctrl-Z: `bg`, or `fg`.
    process.on("SIGCONT", this.#onContinued);
    this.#follow();
  }

  static canBeHad(): boolean {
    return process.stdin.isTTY === true && process.stdout.isTTY === true && isForeground();
  }

  /** The next one that is typed from now on; undefined when there won't be any, or nobody waits any more. */
  next(gone: AbortSignal): Promise<string | undefined> {
    if (this.#ended || gone.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      gone.addEventListener("abort", () => this.#give(resolve, undefined), { once: true });
    });
  }

  close(): void {
    this.#ended = true;
    process.off("SIGCONT", this.#onContinued);
    this.#stop();
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }

  #follow(): void {
    if (this.#ended || !isForeground()) return this.#stop();
    if (this.#reader) return;
    const reader = createInterface({ input: process.stdin, terminal: false });
    this.#reader = reader;
    process.stdin.on("error", this.#onError);
    reader.on("line", (line) => {
      const [resolve] = this.#waiting;
      if (resolve) this.#give(resolve, line.trim());
    });
  }

  /** A terminal that went away. */
  readonly #onError = () => this.close();

  #stop(): void {
    process.stdin.off("error", this.#onError);
    this.#reader?.close();
    this.#reader = undefined;
  }

  #give(resolve: (line: string | undefined) => void, line: string | undefined): void {
    const at = this.#waiting.indexOf(resolve);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    resolve(line);
  }
}

/** Whether the terminal's foreground group is ours. */
function isForeground(): boolean {
  const [own, foreground] = groups();
  return own !== undefined && own === foreground;
}

function groups(): (string | undefined)[] {
  if (process.platform !== "linux") {
    const { stdout = "" } = spawnSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
    return stdout.trim().split(/\s+/);
  }
  // proc_pid_stat(5): after the name in parentheses come state, ppid, pgrp, session, tty_nr, tpgid.
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[2], fields[5]];
}
