/**
 * What bwrap tells on its status descriptor, one JSON object a line: the child's pid once it was started, and its exit code,
 * which is missing when the command itself never was (a mount failed, no bash).
 */
export class BwrapStatus {
  /** By this host's count. It is the first process of the jail, and leads the group of everything in it. */
  childPid: number | undefined;
  exitCode: number | undefined;
  #text = "";

  push(chunk: Buffer): void {
    // A few lines at the most come from bwrap itself; the jail can't write here.
    if (this.#text.length < MAX_TEXT) this.#text += chunk.toString("latin1");
    for (let end = this.#text.indexOf("\n"); end !== -1; end = this.#text.indexOf("\n")) {
      this.#read(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 1);
    }
  }

  #read(line: string): void {
    let told: unknown;
    try {
      told = JSON.parse(line);
    } catch {
      return;
    }
    this.childPid ??= numberIn(told, "child-pid");
    this.exitCode ??= numberIn(told, "exit-code");
  }
}

const MAX_TEXT = 4_096;

function numberIn(told: unknown, key: string): number | undefined {
  const value = typeof told === "object" && told !== null ? (told as Record<string, unknown>)[key] : undefined;
  return typeof value === "number" ? value : undefined;
}
