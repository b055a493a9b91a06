import type { Withdrawal } from "../propose/withdrawal.ts";

/** The commands that run now. */
export class Runs {
  readonly #withdrawals = new Set<Withdrawal>();

  get running(): number {
    return this.#withdrawals.size;
  }

  add(withdrawal: Withdrawal): void {
    this.#withdrawals.add(withdrawal);
  }

  delete(withdrawal: Withdrawal): void {
    this.#withdrawals.delete(withdrawal);
  }

  /** Ends them all, and tells how many there were. Those that wait for an answer or to be started aren't among them. */
  endAll(reason: string): number {
    const running = [...this.#withdrawals];
    for (const withdrawal of running) withdrawal.withdraw(reason);
    return running.length;
  }
}
