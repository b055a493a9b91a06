/** Steps to take back, the last first. One that fails (a full disk) must not keep the others from letting go. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  push(step: () => unknown): void {
    this.#steps.push(step);
  }

  async all(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (cause) {
        failures.push(cause);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
