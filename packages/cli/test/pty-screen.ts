import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

type Pty = typeof import("@lydell/node-pty");
type Process = ReturnType<Pty["spawn"]>;

/** Undefined where the machine has no build of it. */
export async function loadPty(): Promise<Pty | undefined> {
  return await import("@lydell/node-pty").catch(() => undefined);
}

/** A process in a real terminal, and what stands on its screen: as much of a terminal as `watch` uses. */
export class PtyScreen {
  readonly process: Process;
  readonly ended: Promise<number>;
  /** Everything that was ever sent to the terminal. */
  sent = "";
  rows: string[] = [];
  #unread = "";
  #row = 0;
  #column = 0;

  constructor(pty: Pty, args: readonly string[], options: { env: Record<string, string>; cwd: string }) {
    const [file = "", ...rest] = args;
    this.process = pty.spawn(file, rest, { name: "xterm-256color", cols: 80, rows: 24, ...options });
    this.process.onData((text) => this.#draw(text));
    this.ended = new Promise((resolve) => this.process.onExit(({ exitCode }) => resolve(exitCode)));
  }

  get text(): string {
    return this.rows.map((row) => (row ?? "").trimEnd()).join("\n");
  }

  press(keys: string): void {
    this.process.write(keys);
  }

  /** One key after the other, each on the screen before the next: fingers, not a paste. */
  async type(word: string): Promise<void> {
    for (let length = 1; length <= word.length; length += 1) {
      this.press(word.charAt(length - 1));
      await this.shows(`> ${word.slice(0, length)}`);
    }
  }

  async shows(what: string | RegExp): Promise<void> {
    const there = () => (typeof what === "string" ? this.text.includes(what) : what.test(this.text));
    if (!(await within(there))) assert.fail(`${what} isn't on the screen:\n${this.text}`);
  }

  async hides(what: string): Promise<void> {
    if (!(await within(() => !this.text.includes(what)))) assert.fail(`${what} is still there:\n${this.text}`);
  }

  #draw(text: string): void {
    this.sent += text;
    this.#unread += text;
    for (;;) {
      const token = /^(?:\x1b\[[0-?]*[ -/]*[@-~]|[^\x1b])/u.exec(this.#unread)?.[0];
      if (token === undefined) return;
      this.#unread = this.#unread.slice(token.length);
      this.#take(token);
    }
  }

  #take(token: string): void {
    const at = /^\x1b\[(\d+);(\d+)H$/.exec(token);
    if (at) [this.#row, this.#column] = [Number(at[1]) - 1, Number(at[2]) - 1];
    else if (token === "\x1b[2J") this.rows = [];
    else if (token === "\x1b[J") {
      this.rows = this.rows.slice(0, this.#row + 1);
      this.rows[this.#row] = (this.rows[this.#row] ?? "").slice(0, this.#column);
    } else if (/^\x1b\[\d+A$/.test(token)) this.#row = Math.max(0, this.#row - Number(token.slice(2, -1)));
    else if (/^\x1b\[\d+C$/.test(token)) this.#column += Number(token.slice(2, -1));
    else if (token === "\x1b[2K") this.rows[this.#row] = "";
    else if (token === "\n") this.#row += 1;
    else if (token === "\r") this.#column = 0;
    else if (token >= " ") {
      const row = (this.rows[this.#row] ?? "").padEnd(this.#column);
      this.rows[this.#row] = row.slice(0, this.#column) + token + row.slice(this.#column + token.length);
      this.#column += token.length;
    }
  }
}

async function within(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (holds()) return true;
    await sleep(10);
  }
  return false;
}
