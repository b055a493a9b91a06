import { setImmediate } from "node:timers/promises";

/** How long other work may have to wait. */
const TURN_MS = 8;

/** Lets other work run during a long task: call `yield` as often as possible. */
export class Yielder {
  #sinceMs = performance.now();

  async yield(): Promise<void> {
    if (performance.now() - this.#sinceMs < TURN_MS) return;
    await setImmediate();
    this.#sinceMs = performance.now();
  }
}
