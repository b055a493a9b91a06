import { setImmediate } from "node:timers/promises";

/** So long others may wait for their turn. */
const TURN_MS = 8;

/** For long work among others' short work: `taken` lets them have their turn, as often as it must. */
export class Yielder {
  #sinceMs = performance.now();

  async yield(): Promise<void> {
    if (performance.now() - this.#sinceMs < TURN_MS) return;
    await setImmediate();
    this.#sinceMs = performance.now();
  }
}
