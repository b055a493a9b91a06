import { ExecdError, type LocalLimits } from "../http/index.ts";
import type { Processes } from "../processes/index.ts";
import { PtySession, type PtyStart } from "./pty-session.ts";

export class Ptys {
  readonly #sessions = new Map<string, PtySession>();
  readonly #processes: Processes;
  readonly #limits: LocalLimits;

  constructor(processes: Processes, limits: LocalLimits) {
    this.#processes = processes;
    this.#limits = limits;
  }

  create(start: PtyStart): PtySession {
    const { maxSessions } = this.#limits;
    if (this.#sessions.size >= maxSessions) {
      throw new ExecdError(429, "TOO_MANY_SESSIONS", `there are ${maxSessions} terminals already; delete one`);
    }
    const session = new PtySession(this.#processes, this.#limits, start);
    this.#sessions.set(session.id, session);
    return session;
  }

  get(id: string): PtySession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new ExecdError(404, "CONTEXT_NOT_FOUND", `pty session ${id} not found`);
  }

  delete(id: string): void {
    this.get(id).close();
    this.#sessions.delete(id);
  }
}
