import { writeSync } from "node:fs";
import { type Line, paintLine, type Screen } from "../terminal/index.ts";
import type { Size } from "./model/index.ts";

/**
 * Alternate screen, cursor hidden, no wrapping at the edge, pastes marked (bracketed paste), and no reordering of right to
 * left scripts (ECMA-48, BDSM): a command is read in the order in which it runs.
 */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[8l\x1b[2J";
const LEAVE = "\x1b[0m\x1b[8h\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

type Input = typeof process.stdin;
type Output = typeof process.stdout;

/** A terminal that `watch` has taken, and gives back as it was, however it ends. */
export class Terminal {
  readonly #input: Input;
  readonly #output: Output;
  readonly #colour: boolean;
  readonly #giveBack = () => this.leave();
  #painted: string[] = [];
  #entered = false;

  constructor(input: Input, output: Output, { colour }: { colour: boolean }) {
    this.#input = input;
    this.#output = output;
    this.#colour = colour;
  }

  get size(): Size {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** `gone` is called when there's nobody at the terminal any more. */
  enter(on: { bytes(chunk: Buffer): void; resize(): void; gone(): void }): void {
    this.#entered = true;
    // Also for an exit that nobody foresaw.
    process.once("exit", this.#giveBack);
    this.#input.setRawMode(true);
    this.#input.on("data", on.bytes);
    this.#input.once("end", on.gone);
    this.#input.once("error", on.gone);
    this.#output.once("error", on.gone);
    this.#output.on("resize", on.resize);
    this.#input.resume();
    this.#output.write(ENTER);
  }

  /** After a stop and `fg` the shell has set the terminal to its own liking. */
  enterAgain(): void {
    if (!this.#entered) return;
    this.#input.setRawMode(false);
    this.#input.setRawMode(true);
    this.#output.write(ENTER);
    this.forget();
  }

  /** Only the rows that changed are sent: a slow line carries a countdown, not a screen, each second. */
  paint({ lines, cursor }: Screen): void {
    if (!this.#entered) return;
    const rows = lines.map((line) => this.#row(line));
    const changed = rows.flatMap((row, index) =>
      // Cleared before and not after: behind a full row the clearing would take its last character.
      row === this.#painted[index] ? [] : [`\x1b[${index + 1};1H\x1b[2K${row}`],
    );
    this.#painted = rows;
    const place = cursor ? `\x1b[${cursor.row + 1};${cursor.column + 1}H\x1b[?25h` : "\x1b[?25l";
    this.#output.write(changed.join("") + place);
  }

  /** The next paint is a whole one. */
  forget(): void {
    this.#painted = [];
    if (this.#entered) this.#output.write("\x1b[2J");
  }

  bell(): void {
    if (this.#entered) this.#output.write("\x07");
  }

  /** Once, and at once: the process may be about to end. */
  leave(): void {
    if (!this.#entered) return;
    this.#entered = false;
    process.off("exit", this.#giveBack);
    try {
      writeSync(this.#output.fd, LEAVE);
      this.#input.setRawMode(false);
    } catch (cause) {
      // EIO, EBADF: the terminal is gone, and there's nothing to give back. EAGAIN: it doesn't read just now.
      if ((cause as NodeJS.ErrnoException).code === "EAGAIN") this.#output.write(LEAVE);
    }
    this.#input.removeAllListeners("data");
    this.#output.removeAllListeners("resize");
    this.#input.pause();
    this.#input.unref();
  }

  #row(line: Line): string {
    return paintLine(line, { colour: this.#colour });
  }
}
