/** Figures that have to be reached: each is printed beside its bound, and one that is missed makes the run fail. */
export class Figures {
  readonly #missed: string[] = [];

  atMost(name: string, value: number, bound: number, unit: string): void {
    this.#tell(name, value, { isReached: value <= bound, said: `at most ${bound} ${unit}`, unit });
  }

  atLeast(name: string, value: number, bound: number, unit: string): void {
    this.#tell(name, value, { isReached: value >= bound, said: `at least ${bound} ${unit}`, unit });
  }

  exactly(name: string, value: number, bound: number, unit: string): void {
    this.#tell(name, value, { isReached: value === bound, said: `${bound} ${unit}`, unit });
  }

  /** Sets the exit code. */
  close(): void {
    if (this.#missed.length === 0) return;
    console.log(`missed: ${this.#missed.join("; ")}`);
    process.exitCode = 1;
  }

  #tell(name: string, value: number, judged: { isReached: boolean; said: string; unit: string }): void {
    const { isReached, said, unit } = judged;
    const shown = Number.isInteger(value) ? `${value}` : value.toFixed(2);
    console.log(`${isReached ? "  reached" : "  MISSED "} ${name}: ${shown} ${unit} (${said})`);
    // What isn't a number is no figure that was reached.
    if (!isReached) this.#missed.push(name);
  }
}
