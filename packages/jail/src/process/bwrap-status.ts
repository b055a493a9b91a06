import { startOf } from "../base/index.ts";

/**
 * What bwrap tells on its status descriptor, one JSON object a line: the child's pid once it was started, and its exit code,
 * which is missing when the command itself never was (a mount failed, no bash).
 */
export class BwrapStatus {
  /** By this host's count. It is the first process of the jail, and leads the group of everything in it. */
  childPid: number | undefined;
  exitCode: number | undefined;
  #childStart: string | undefined;
  #text = "";

  push(chunk: Buffer): void {
    // A few lines at the most come from bwrap itself; the jail can't write here.
    if (this.#text.length < MAX_TEXT) this.#text += chunk.toString("latin1");
    for (let end = this.#text.indexOf("\n"); end !== -1; end = this.#text.indexOf("\n")) {
      this.#read(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 1);
    }
  }

  /**
   * Ends the jail's first process and all others with it. It is told to end with bwrap, but whoever is in the jail may write to its memory and take
   * that back. As often as wanted: a number that is another process's by now is left alone.
   */
  kill(): void {
    if (this.childPid === undefined || this.#childStart === undefined) return;
    if (startOf(this.childPid) !== this.#childStart) return;
    try {
      process.kill(this.childPid, "SIGKILL");
    } catch (cause) {
      // It has ended meanwhile.
      if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
    }
  }

  #read(line: string): void {
    let told: unknown;
    try {
      told = JSON.parse(line);
    } catch {
      return;
    }
    if (this.childPid === undefined) {
      this.childPid = numberIn(told, "child-pid");
      this.#childStart = this.childPid === undefined ? undefined : startOf(this.childPid);
    }
    this.exitCode ??= numberIn(told, "exit-code");
  }
}

const MAX_TEXT = 4_096;

function numberIn(told: unknown, key: string): number | undefined {
  const value = typeof told === "object" && told !== null ? (told as Record<string, unknown>)[key] : undefined;
  return typeof value === "number" ? value : undefined;
}
