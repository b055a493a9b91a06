import { ExecdError } from "../http/index.ts";
import type { ProcessStarter, StartedProcess, StartRequest } from "../places/index.ts";

/** All that runs, so that it ends with the server. */
export class Processes {
  readonly #starter: ProcessStarter;
  readonly #max: number;
  readonly #running = new Set<StartedProcess>();
  readonly #starting = new Set<Promise<StartedProcess>>();
  #isClosed = false;

  constructor(starter: ProcessStarter, max: number) {
    this.#starter = starter;
    this.#max = max;
  }

  async start(request: StartRequest): Promise<StartedProcess> {
    if (this.#isClosed) throw new ExecdError(503, "RUNTIME_ERROR", "this execd is ending");
    if (this.#running.size + this.#starting.size >= this.#max) {
      throw new ExecdError(429, "TOO_MANY_PROCESSES", `${this.#max} processes run already`);
    }
    const starting = this.#start(request).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
    return await starting;
  }

  async #start(request: StartRequest): Promise<StartedProcess> {
    const started = await this.#starter.start(request);
    this.#running.add(started);
    started.ended.finally(() => this.#running.delete(started));
    // The server ended while it was started.
    if (this.#isClosed) started.signal("SIGKILL");
    return started;
  }

  /** Whoever left its process group isn't reached, as with a stock execd; in a jail everybody is. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const one of this.#running) one.signal("SIGKILL");
    // What is being started ends as soon as it has begun, and has what is around it until then.
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#running].map(({ ended }) => ended));
  }
}
