import { type EventStream, ExecdError } from "../http/index.ts";
import type { Processes } from "../processes/index.ts";
import { driverOf } from "./drivers.ts";
import { Kernel } from "./kernel.ts";

/** Running interpreters. Code without a context runs in its language's default one. */
export class Kernels {
  readonly #processes: Processes;
  readonly #maxSessions: number;
  readonly #env: () => Readonly<Record<string, string>>;
  readonly #kernels = new Map<string, Kernel>();
  readonly #defaults = new Map<string, Promise<Kernel>>();

  constructor(processes: Processes, maxSessions: number, env: () => Readonly<Record<string, string>>) {
    this.#processes = processes;
    this.#maxSessions = maxSessions;
    this.#env = env;
  }

  async create(language: string, cwd: string): Promise<Kernel> {
    if (this.#kernels.size >= this.#maxSessions) {
      throw new ExecdError(429, "TOO_MANY_SESSIONS", `there are ${this.#maxSessions} contexts already; delete one`);
    }
    const driver = driverOf(language);
    const kernel =
      driver && (await Kernel.start(language, driver, { processes: this.#processes, cwd, env: this.#env() }));
    if (!kernel) throw new Error("no kernel specs found");
    this.#kernels.set(kernel.id, kernel);
    kernel.onEnd(() => this.#kernels.delete(kernel.id));
    return kernel;
  }

  get(id: string): Kernel | undefined {
    return this.#kernels.get(id);
  }

  list(language: string): { id: string; language: string }[] {
    const all = [...this.#kernels.values()].map(({ id, language: its }) => ({ id, language: its }));
    return language === "" ? all : all.filter((one) => one.language === language);
  }

  delete(id: string): boolean {
    this.#kernels.get(id)?.close();
    return this.#kernels.delete(id);
  }

  /** What is thrown comes after the stream has begun, and so stands at its end. */
  async run(code: string, asked: { id: string; language: string; cwd: string }, stream: EventStream): Promise<void> {
    const kernel = asked.id === "" ? await this.#default(asked.language, asked.cwd) : this.#kernels.get(asked.id);
    if (!kernel) throw new Error("context not found");
    if (kernel.isBusy) throw new Error("session is busy");
    await kernel.run(code, stream);
  }

  async #default(language: string, cwd: string): Promise<Kernel> {
    const known = this.#defaults.get(language);
    const kernel = known && (await known);
    if (kernel && this.#kernels.has(kernel.id)) return kernel;
    const made = this.create(language, cwd);
    this.#defaults.set(language, made);
    made.catch(() => this.#defaults.delete(language));
    return await made;
  }
}
