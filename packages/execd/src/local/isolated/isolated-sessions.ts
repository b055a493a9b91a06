import { ExecdError } from "../execd-error.ts";
import { IsolatedSession, type SessionRooms } from "./isolated-session.ts";
import type { Isolator } from "./isolator.ts";
import { passedThrough, type SessionPlan, unsupported } from "./read-request.ts";

export class IsolatedSessions {
  readonly #isolator: Isolator;
  readonly #rooms: SessionRooms;
  readonly #sessions = new Map<string, IsolatedSession>();
  readonly #closing = new Set<Promise<void>>();
  #opening = 0;
  #isClosed = false;

  constructor(isolator: Isolator, rooms: SessionRooms) {
    this.#isolator = isolator;
    this.#rooms = rooms;
  }

  /** `env` is the server's, of which a session may ask for some. */
  async create(plan: SessionPlan, env: Readonly<Record<string, string>>): Promise<IsolatedSession> {
    const { maxIsolatedSessions: most } = this.#rooms.limits;
    // One that ends still has its jail.
    if (this.#sessions.size + this.#opening + this.#closing.size >= most)
      throw new ExecdError(429, "TOO_MANY_SESSIONS", `there are ${most} isolated sessions already; delete one`);
    this.#opening += 1;
    try {
      const wish = { readOnly: plan.workspace.mode === "ro", network: plan.share_net };
      const isolation = await this.#isolator.open(wish).catch((cause: Error) => {
        throw unsupported(cause.message);
      });
      // The server ended meanwhile.
      if (this.#isClosed) {
        await isolation.close();
        throw unsupported("it is ending");
      }
      const all = { ...isolation, env: { ...passedThrough(plan, env), ...isolation.env } };
      const session: IsolatedSession = new IsolatedSession(plan, all, {
        ...this.#rooms,
        onIdle: () => void this.delete(session.id).catch(this.#rooms.onBug),
      });
      this.#sessions.set(session.id, session);
      return session;
    } finally {
      this.#opening -= 1;
    }
  }

  get(id: string): IsolatedSession {
    const session = this.#sessions.get(id);
    if (!session) throw notThere(id);
    return session;
  }

  list(): IsolatedSession[] {
    return [...this.#sessions.values()];
  }

  /** Resolves when nothing of it runs any more. */
  async delete(id: string): Promise<void> {
    const session = this.get(id);
    this.#sessions.delete(id);
    const closing = session.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    await closing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#closing, ...[...this.#sessions.keys()].map((id) => this.delete(id))]);
  }
}

export function notThere(id: string): ExecdError {
  return new ExecdError(404, "CONTEXT_NOT_FOUND", `isolated session ${id} not found`);
}
