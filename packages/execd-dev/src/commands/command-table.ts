import type { StartedProcess } from "../places/index.ts";

/** What is known of a command, while it runs and after. */
export interface Command {
  readonly id: string;
  readonly content: string;
  readonly startedAt: Date;
  /** Where a background command's output is. */
  readonly log?: { readonly path: string } | undefined;
  process?: StartedProcess | undefined;
  end?: { readonly at: Date; readonly exitCode: number; readonly error: string };
}

/** Commands by their id; of those that ended, the newest. */
export class CommandTable {
  readonly #commands = new Map<string, Command>();
  readonly #max: number;
  readonly #forget: (command: Command) => void;

  constructor(max: number, forget: (command: Command) => void) {
    this.#max = max;
    this.#forget = forget;
  }

  add(command: Command): void {
    this.#commands.set(command.id, command);
    if (this.#commands.size <= this.#max) return;
    for (const one of this.#commands.values()) {
      if (one.end === undefined) continue;
      this.#commands.delete(one.id);
      this.#forget(one);
      return;
    }
  }

  get(id: string): Command | undefined {
    return this.#commands.get(id);
  }
}
