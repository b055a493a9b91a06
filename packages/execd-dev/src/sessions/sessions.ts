import { ExecdError, type LocalLimits } from "../http/index.ts";
import type { Processes } from "../processes/index.ts";
import { BashSession } from "./bash-session.ts";

export class Sessions {
  readonly #sessions = new Map<string, BashSession>();
  readonly #processes: Processes;
  readonly #limits: LocalLimits;

  constructor(processes: Processes, limits: LocalLimits) {
    this.#processes = processes;
    this.#limits = limits;
  }

  create(start: { cwd: string; env: Readonly<Record<string, string>> }): BashSession {
    const { maxSessions } = this.#limits;
    if (this.#sessions.size >= maxSessions) {
      throw new ExecdError(429, "TOO_MANY_SESSIONS", `there are ${maxSessions} sessions already; delete one`);
    }
    const session = new BashSession(this.#processes, this.#limits, start);
    this.#sessions.set(session.id, session);
    return session;
  }

  get(id: string): BashSession | undefined {
    return this.#sessions.get(id);
  }

  /** With what runs in it. False where there is none. */
  delete(id: string): boolean {
    this.#sessions.get(id)?.close();
    return this.#sessions.delete(id);
  }
}
